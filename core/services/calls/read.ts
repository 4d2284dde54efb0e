import type { CallObject } from '../../model/objects/call.js';
import type { CallFilter, Calls, CallScope, Position, ShownCall } from '../../data/repositories/calls/calls.js';
import type { TimelineEntry } from '../../data/repositories/calls/timeline.js';
import type { CallRow, LegRow } from '../../data/rows.js';
import { isoTime } from '../../model/time.js';
import { byCall } from '../call-state/call-archive.js';
import { findCall } from './find-call.js';
import { presentCall } from '../call-state/presenting/call.js';

export interface TimelineObject {
  readonly at: string;
  readonly type: string;
  readonly sequence: number | null;
  readonly data: Record<string, unknown>;
}

/** A stored call. */
export interface PlacedCall {
  readonly call: CallRow;
  readonly legs: readonly LegRow[];
}

const CLOCK_MARGIN_MS = 60_000;

/** Calls and their timelines as the API shows them. */
export class ReadCalls {
  constructor(
    private readonly calls: Calls,
    private readonly timelineOf: (callId: string) => Promise<readonly TimelineEntry[]>,
  ) {}

  /** @throws HatifError CALL_NOT_FOUND, also for a call of another project. */
  async get(scope: CallScope, callId: string): Promise<CallObject> {
    const call = await findCall(this.calls, scope, callId);
    return presentCall(call, await this.calls.shownLegsOf([callId]));
  }

  /** Returns the call that a request placed before its process died, or null if it placed none. */
  async placedBy(projectId: string, keyId: string, requestId: string, startedAt: Date): Promise<PlacedCall | null> {
    // The process that stored the request and the one that placed the call may have different clocks.
    const since = new Date(startedAt.getTime() - CLOCK_MARGIN_MS);
    const call = await this.calls.createdBy(projectId, keyId, requestId, since);
    return call && { call, legs: await this.calls.legsOf([call.id]) };
  }

  /**
   * Returns one page by cursor. @param position end of the previous page, as returned by this method
   * @returns `next` is null on the last page
   */
  async list(
    scope: CallScope,
    filter: CallFilter,
    position: string | null,
    limit: number,
  ): Promise<{ items: CallObject[]; next: string | null }> {
    const after = position === null ? undefined : readPosition(position);
    const { rows, hasMore } = await this.calls.list(scope, filter, { limit, after });
    const last = rows.at(-1);
    return { items: await this.#present(rows), next: hasMore && last ? writePosition(last) : null };
  }

  async page(
    scope: CallScope,
    filter: CallFilter,
    page: number,
    pageSize: number,
  ): Promise<{ items: CallObject[]; total: number }> {
    const { rows, totalCount } = await this.calls.page(scope, filter, { page, pageSize });
    return { items: await this.#present(rows), total: totalCount };
  }

  /** Returns everything that happened in the call, oldest first. @throws HatifError CALL_NOT_FOUND */
  async timeline(scope: CallScope, callId: string): Promise<TimelineObject[]> {
    await findCall(this.calls, scope, callId);
    const entries = await this.timelineOf(callId);
    return entries.map(({ at, type, sequence, data }) => ({
      at: isoTime(at),
      type,
      sequence,
      data: data as Record<string, unknown>,
    }));
  }

  async #present(rows: readonly ShownCall[]): Promise<CallObject[]> {
    const legs = byCall(await this.calls.shownLegsOf(rows.map((row) => row.id)));
    return rows.map((row) => presentCall(row, legs.get(row.id) ?? []));
  }
}

/** Returns the position of a row in a list by time. */
export function writePosition({ created_at, id }: Pick<CallRow, 'created_at' | 'id'>): string {
  return `${created_at.getTime()} ${id}`;
}

/** Parses a position. The cursor around it is signed, so {@link writePosition} made it. */
export function readPosition(text: string): Position {
  const [milliseconds, id = ''] = text.split(' ');
  return { createdAt: new Date(Number(milliseconds)), id };
}
