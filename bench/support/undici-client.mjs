// A closed loop of undici's own: node undici-client.mjs URL USERS SECONDS|0. With 0 seconds each user asks once.
import { Pool } from "undici";

const [url = "", users = "", seconds = ""] = process.argv.slice(2);
const { origin, pathname } = new URL(url);
const pool = new Pool(origin, { connections: Number(users), pipelining: 1 });
const endMs = performance.now() + Number(seconds) * 1000;

async function user() {
  do {
    const { body } = await pool.request({ method: "GET", path: pathname });
    await body.dump();
  } while (performance.now() < endMs);
}

await Promise.all(Array.from({ length: Number(users) }, user));
await pool.close();
