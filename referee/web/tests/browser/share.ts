/**
 * A share of the tests, where there is no time for all.
 *
 * In: SHARE, such as `2/3`: of every three tests of a file the second; all if it is not set. Out: `test` of Node, which leaves the others out
 * and says so.
 *
 * @module
 */
import { test as always } from "node:test";

const [mine = 1, shares = 1] = (process.env["SHARE"] ?? "1/1").split("/").map(Number);
if (!(mine >= 1 && mine <= shares)) throw new RangeError("SHARE is such as 2/3: the second of three shares");

let number = 0;

/** As `test` of `node:test`. */
export const test = ((...args: Parameters<typeof always>) => (number++ % shares === mine - 1 ? always(...args) : always.skip(...args))) as typeof always;
