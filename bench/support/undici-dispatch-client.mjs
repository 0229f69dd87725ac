// undici by its lowest-level call, without streams: node undici-dispatch-client.mjs URL USERS SECONDS|0.
import { Pool } from "undici";

const [url = "", users = "", seconds = ""] = process.argv.slice(2);
const { origin, pathname } = new URL(url);
const pool = new Pool(origin, { connections: Number(users), pipelining: 1 });
const endMs = performance.now() + Number(seconds) * 1000;

function exchange() {
  return new Promise((resolve, reject) => {
    pool.dispatch(
      { method: "GET", path: pathname },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData() {},
        onResponseEnd: resolve,
        onResponseError: (_, error) => reject(error),
      },
    );
  });
}

async function user() {
  do await exchange();
  while (performance.now() < endMs);
}

await Promise.all(Array.from({ length: Number(users) }, user));
await pool.close();
