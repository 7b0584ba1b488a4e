/**
 * A client of the referee: connect, watch, narrow decisions by pointing, choose, name things. Begin at {@link Referee};
 * `referee-client/node` and `referee-client/web` make one from an address, `referee-client/v1` has the contract itself.
 *
 * @module
 */
export * from "./amount.js";
export * from "./bag.js";
export * from "./choice.js";
export * from "./decisions.js";
export * from "./errors.js";
export * from "./foresight.js";
export { Line, type Try } from "./line.js";
export * from "./moments.js";
export * from "./names.js";
export * from "./narrow.js";
export * from "./records.js";
export * from "./referee.js";
export * from "./retry.js";
export * from "./seat.js";
export * from "./sentences.js";
export * from "./spread.js";
export { rowKey, thingKey, thingsOf, type Thing } from "./targets.js";
export * from "./values.js";
export * from "./watch.js";
export { Reason } from "./gen/referee/v1/error_pb.js";
