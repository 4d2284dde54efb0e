import type { Logger } from '../../core/ports/logger.js';
import {
  modified,
  opened,
  statusOf,
  type SrfClient,
  type SrfDialog,
  type SrfRequest,
  type SrfResponse,
} from './library.js';

interface Target {
  readonly uri: string;
  /** The next hop, if it is not the host of the URI. */
  readonly proxy?: string;
  readonly headers: Record<string, string>;
}

/** Fields of a request within the call that the other side needs. */
const PASSED = ['Content-Type', 'Refer-To', 'Referred-By', 'Event', 'Subscription-State', 'Info-Package'];

/**
 * Calls all targets at the same time, each with a dialog of its own, and joins the first one that answers to the
 * caller. Audio flows between the two phones; requests within the call pass through here, also those that follow the
 * answer at once. drachtio-srf's own `createB2BUA` calls one target only.
 */
export async function bridgeCall(
  client: SrfClient,
  request: SrfRequest,
  response: SrfResponse,
  targets: readonly Target[],
  log: Logger,
): Promise<void> {
  const { body: offer = '' } = request;
  if (offer === '') {
    // An INVITE without an offer would need the answer of one of several phones.
    response.send(488, undefined, {});
    return;
  }
  const ringing = new Set<SrfRequest>();
  let isOver = false;
  const cancelAll = (): void => {
    for (const sent of ringing) sent.cancel(() => undefined);
    ringing.clear();
  };
  request.on('cancel', () => {
    isOver = true;
    if (!response.finalResponseSent) response.send(487, undefined, {});
    cancelAll();
  });

  const call = async (target: Target): Promise<SrfDialog> => {
    let mine: SrfRequest | undefined;
    try {
      const options = {
        ...{ ...target, localSdp: offer, _socket: request.socket },
        ...{ callingNumber: request.callingNumber, callingName: request.callingName },
      };
      const progress: Parameters<SrfClient['createUAC']>[1] = {
        cbRequest(_, sent) {
          mine = sent;
          if (!sent) return;
          if (isOver) sent.cancel(() => undefined);
          else ringing.add(sent);
        },
        cbProvisional({ status, reason, body }) {
          if (isOver || status <= 100 || response.finalResponseSent) return;
          response.send(status, reason, withSdp(body));
        },
      };
      const answered = await opened(
        (callback) => client.createUAC(options, progress, callback),
        // Until the caller is joined.
        (dialog) => (dialog.queueRequests = true),
      );
      if (isOver) {
        void answered.destroy().catch(() => undefined);
        throw new Error('another phone answered');
      }
      isOver = true;
      return answered;
    } finally {
      if (mine) ringing.delete(mine);
    }
  };

  let callee: SrfDialog;
  try {
    callee = await Promise.any(targets.map(call));
  } catch (error) {
    if (!response.finalResponseSent) response.send(bestStatus(error), undefined, {});
    return;
  }
  cancelAll();
  const answer = { localSdp: callee.remote.sdp, headers: {} };
  try {
    await opened(
      (callback) => client.createUAS(request, response, answer, callback),
      (caller) => {
        passOn(caller, callee);
        passOn(callee, caller);
        callee.queueRequests = false;
      },
    );
  } catch (error) {
    // The caller hung up at the moment of the answer.
    log.info({ err: error }, 'a call ended before its answer arrived');
    await callee.destroy().catch(() => undefined);
  }
}

/** Passes what one side sends within the call on to the other side. */
function passOn(from: SrfDialog, to: SrfDialog): void {
  from.on('destroy', () => void to.destroy().catch(() => undefined));
  from.on('modify', (request, response) => {
    modified(to, request.body ?? '').then(
      (sdp) => response.send(200, undefined, withSdp(sdp)),
      (error: unknown) => response.send(statusOf(error) ?? 488, undefined, {}),
    );
  });
  for (const event of ['info', 'refer', 'notify'] as const) {
    from.on(event, (request, response) => {
      const headers = Object.fromEntries(PASSED.flatMap((name) => fieldOf(request, name)));
      to.request({ method: request.method, headers, body: request.body ?? '' }).then(
        (answer) => response.send(answer?.status ?? 500, answer?.reason, {}),
        () => response.send(503, undefined, {}),
      );
    });
  }
}

function fieldOf(request: SrfRequest, name: string): [string, string][] {
  const value = request.get(name);
  return value === undefined ? [] : [[name, value]];
}

function withSdp(sdp: string | undefined): { readonly headers?: Record<string, string>; readonly body?: string } {
  return sdp === undefined || sdp === '' ? {} : { headers: { 'Content-Type': 'application/sdp' }, body: sdp };
}

/** The response for the caller when nobody answered (RFC 3261 §16.7 step 6): a global failure, else the lowest. */
function bestStatus(error: unknown): number {
  const errors = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  const statuses = errors.map(statusOf).filter((status) => status !== null);
  return statuses.find((status) => status >= 600) ?? statuses.sort((a, b) => a - b)[0] ?? 503;
}
