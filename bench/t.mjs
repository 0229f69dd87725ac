import { startNginx } from "./support/nginx.mjs";
import { account } from "./support/accounting.mjs";
import { TAILRACE } from "./support/tailrace.mjs";
const n = await startNginx();
const S=process.argv[2]??"3";
for (const c of [[...TAILRACE,"run","--closed","64","--duration",S+"s","--quiet","--yes",n.url],["wrk","-t1","-c64",`-d${S}s`,n.url],[process.execPath,"support/undici-client.mjs",n.url,"64",S],[process.execPath,"support/undici-dispatch-client.mjs",n.url,"64",S]]) {
 const a=await n.served(); const r=await account(1,c); const k=await n.served()-a; console.log(c[0],c[1],k/S|0,"/s", (r.cpuS/k*1e6).toFixed(1),"us", r.wallS, r.cpuS);
}
await n.stop();
