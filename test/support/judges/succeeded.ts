import { expect } from 'chai';
import type { Answer } from '../api.js';

/** The body of an answer, which must be a success; empty if it has none. */
export function succeeded({ status, text, body }: Answer): Record<string, unknown> {
  expect(status, text).to.be.within(200, 204);
  return body ?? {};
}
