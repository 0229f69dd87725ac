/** What a parser of user input returns: the value, or one sentence saying what is wrong and what would be right. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

export const parsed = <T>(value: T): Parsed<T> => ({ ok: true, value });

export const unparsed = (problem: string): Parsed<never> => ({ ok: false, problem });
