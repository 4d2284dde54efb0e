import type { Cipher } from '../../core/model/access/cipher.js';
import { LIVE_KINDS, SANDBOX_KINDS } from '../../core/model/engine-kinds.js';
import type { Clock } from '../../core/ports/clock.js';
import type { Logger } from '../../core/ports/logger.js';
import type { MediaStore } from '../../core/ports/media-store.js';
import type { OutboundHttp } from '../../core/ports/outbound-http.js';
import type { Speech } from '../../core/ports/speech.js';
import { ownedOf } from '../../core/data/repositories/calls/callflow-references.js';
import { FlowCache } from '../../core/services/callflows/flow-cache.js';
import { CallflowService, type CallflowServiceOptions } from '../../core/services/callflows/manage.js';
import { FlowRequests } from '../../core/services/callflows/requests.js';
import type { RecordingConsent } from '../../core/services/recordings/consent.js';
import { FlowVerification } from '../../core/services/callflows/verification.js';
import type { Verify } from '../../core/services/verify/verify.js';
import { MessageSigner } from '../../core/services/webhooks/message.js';
import type { FlowDeps } from '../../ivr/flow/deps.js';
import { simulateFlow } from '../../ivr/flow/machine/simulate.js';
import type { Stores } from './stores.js';

/** Call flows in this process: their management, and the dependencies of calls that run them. */
export interface Callflowing {
  readonly service: CallflowService;
  readonly programs: FlowDeps;
}

export interface CallflowingOptions {
  readonly stores: Stores;
  readonly cipher: Cipher;
  readonly http: OutboundHttp;
  readonly media: Pick<MediaStore, 'pathOf'>;
  readonly speech: Speech;
  readonly verify: Pick<Verify, 'start' | 'check'>;
  readonly consent: Pick<RecordingConsent, 'announcement'>;
  readonly announce: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

export function openCallflows(options: CallflowingOptions): Callflowing {
  const { stores, cipher, http, media, speech, verify, consent, announce, clock, log } = options;
  const { callflows: flows, db, directory, engines } = stores;
  const { load } = new FlowCache(flows, (callflowId) => directory.activeFlow(callflowId));
  /** Speaks texts ahead of calls, one after another, so that live calls get the voice first. */
  const prepare = async (texts: Parameters<CallflowServiceOptions['prepare']>[0]): Promise<void> => {
    for (const { text, language } of texts) {
      await speech.synthesize(text, language).catch((error: unknown) => {
        log.warn({ err: error, language }, 'a text of a call flow could not be spoken ahead of calls');
      });
    }
  };
  return {
    service: new CallflowService({
      flows,
      owned: (of, uses) => ownedOf(db, of, uses),
      hasEngine: async (sandbox) => (await engines.offers(sandbox ? SANDBOX_KINDS : LIVE_KINDS)).length > 0,
      load,
      simulate: simulateFlow,
      prepare: (texts) => void prepare(texts),
      clock,
      announce,
    }),
    programs: {
      load,
      requests: new FlowRequests({
        http,
        signer: new MessageSigner(cipher),
        project: (projectId) => directory.project(projectId),
        clock,
      }),
      verification: new FlowVerification({
        verify,
        project: (projectId) => directory.project(projectId),
        author: async (callflowId, version) => (await flows.version(callflowId, version))?.created_by_key ?? null,
      }),
      numberId: async (of, e164) => {
        // Look-ups of live numbers are cached.
        const number = of.sandbox ? await stores.numbers.findOf(of, e164) : await directory.numberByE164(e164);
        return number?.project_id === of.projectId ? number.id : null;
      },
      audioPath: (audioId) => media.pathOf(audioId),
      announcement: (projectId) => consent.announcement(projectId),
      clock,
      random: Math.random,
    },
  };
}
