/** Each file of the built page once more, compressed as well as can be: the server only has to send it. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

const built = join(import.meta.dirname, "../src/mulligan/server/page");

/** Bytes. A smaller file gains nothing. */
const WORTH_IT = 1024;

for (const name of readdirSync(built, { recursive: true, encoding: "utf8" })) {
  if (!/\.(js|css|html|svg)$/.test(name)) continue;
  const file = join(built, name);
  const bytes = readFileSync(file);
  if (bytes.length < WORTH_IT) continue;
  writeFileSync(`${file}.br`, brotliCompressSync(bytes));
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
}
