/**
 * The contract itself: every message, enum and service of `referee.v1`, as `protoc-gen-es` generates them. A message `M` has
 * a schema `MSchema` for `create`, `toJson`, `fromJson` and `equals` of `@bufbuild/protobuf`.
 *
 * @module
 */
export * from "./gen/v1.js";
