/**
 * A line between a browser and what serves its page, which can go dead without saying so.
 *
 * In: an address. Out: another address that leads there, over connections that can be held up, or lost without an end: neither
 * side is told.
 *
 * @module
 */
import { connect, createServer, type Socket } from "node:net";

interface Connection {
  readonly near: Socket;
  readonly far: Socket;
  /** Whether what the page says, and what it is told, passes. */
  out: boolean;
  in: boolean;
}

export interface LineToPage {
  readonly address: string;
  /** Nothing passes, also of new connections, and none ends; what was held up passes later. */
  stall(): void;
  letThrough(): void;
  /** Nothing passes any more on connections of before; with `in` only nothing of what the page is told. New ones are as ever. */
  bury(what?: "both" | "in"): void;
  /** How many connections were made. */
  made(): number;
  close(): void;
}

export async function lineTo(address: string): Promise<LineToPage> {
  const { hostname, port } = new URL(address);
  const all = new Set<Connection>();
  let [stalled, made] = [false, 0];
  const server = createServer({ allowHalfOpen: true }, (near) => {
    made += 1;
    const far = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const connection: Connection = { near, far, out: !stalled, in: !stalled };
    all.add(connection);
    const pass = (from: Socket, to: Socket, passes: () => boolean): void => {
      from.on("data", (bytes) => {
        if (passes()) to.write(bytes);
        else {
          // What is held up is kept by the sockets, so that it passes later.
          from.pause();
          from.unshift(bytes);
        }
      });
      from.on("end", () => passes() && to.end());
      from.on("error", () => to.destroy());
    };
    pass(near, far, () => connection.out);
    pass(far, near, () => connection.in);
    near.on("close", () => {
      all.delete(connection);
      far.destroy();
    });
    far.on("close", () => connection.in && near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const bound = server.address();
  return {
    address: `http://127.0.0.1:${typeof bound === "object" ? bound?.port : bound}`,
    stall() {
      stalled = true;
      for (const one of all) one.out = one.in = false;
    },
    letThrough() {
      stalled = false;
      for (const one of all) {
        one.out = one.in = true;
        one.near.resume();
        one.far.resume();
      }
    },
    bury(what = "both") {
      for (const one of all) {
        one.in = false;
        if (what === "both") one.out = false;
      }
    },
    made: () => made,
    close() {
      server.close();
      for (const { near, far } of all) (near.destroy(), far.destroy());
    },
  };
}
