// What tests share. In: nothing. Out: failures as the referee sends them, a quick retry policy, offers, numbers from a seed.

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  LocalizedMessageSchema,
  RetryInfoSchema,
} from "../src/gen/google/rpc/error_details_pb.js";
import { OfferSchema, type Offer } from "../src/gen/referee/v1/decision_pb.js";
import { RefusalSchema } from "../src/gen/referee/v1/error_pb.js";
import { argument, retryPolicy, type RetryPolicy } from "../src/index.js";
import type { Value } from "../src/v1.js";

/** The contract's policy, with pauses of a few milliseconds. */
export const QUICK: RetryPolicy = { ...retryPolicy(), initialBackoffMs: 2, maxBackoffMs: 5 };

export interface Details {
  readonly metadata?: Record<string, string>;
  readonly fields?: readonly { field: string; description: string }[];
  readonly refusal?: MessageInitShape<typeof RefusalSchema>;
  readonly localized?: { locale: string; message: string };
  readonly retryMs?: number;
}

/** A failure as the referee sends it. */
export function failure(
  code: Code,
  reason: string,
  { metadata = {}, fields, refusal, localized, retryMs }: Details = {},
): ConnectError {
  return new ConnectError(`${reason} in English`, code, undefined, [
    { desc: ErrorInfoSchema, value: { domain: "referee.v1", reason, metadata } },
    ...(fields ? [{ desc: BadRequestSchema, value: { fieldViolations: [...fields] } }] : []),
    ...(refusal ? [{ desc: RefusalSchema, value: refusal }] : []),
    ...(localized ? [{ desc: LocalizedMessageSchema, value: localized }] : []),
    ...(retryMs !== undefined ? [{ desc: RetryInfoSchema, value: { retryDelay: durationFromMs(retryMs) } }] : []),
  ]);
}

/** An offer with fixed arguments. */
export const offer = (
  name: string,
  fixed: Record<string, Value>,
  open: MessageInitShape<typeof OfferSchema>["open"] = [],
): Offer =>
  create(OfferSchema, {
    name,
    fixed: Object.entries(fixed).map(([parameter, value]) => argument(parameter, value)),
    open: open ?? [],
  });

/** Numbers below `n`, the same ones for the same seed. */
export function below(seed: number): (n: number) => number {
  let state = seed >>> 0;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

/** Every item of a stream. */
export async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}
