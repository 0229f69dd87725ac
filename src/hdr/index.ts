/** Histograms that keep every value to a promised precision, add up exactly, and travel in HdrHistogram's own formats. */
export { CellLog } from "./cell-log.js";
export {
  compressHistogram,
  decodeHistogram,
  encodeHistogram,
  histogramFromBase64,
  histogramToBase64,
} from "./codec.js";
export { type Cells, Distribution, rankOfPercentile } from "./distribution.js";
export { HdrFormatError } from "./format-error.js";
export { formatHgrm, type HgrmOptions } from "./hgrm.js";
export { Histogram } from "./histogram.js";
export {
  type Hlog,
  type HlogEntry,
  type HlogHeader,
  type HlogInterval,
  hlogHeader,
  hlogLine,
  hlogRange,
  readHlog,
} from "./hlog.js";
export { LATENCY_LAYOUT, Layout } from "./layout.js";
export { SparseHistogram } from "./sparse.js";
export type { SparseCells } from "./sparse-cells.js";
