import { Callbacks } from '../../../core/data/repositories/calls/callbacks.js';
import type { RateLimiter } from '../../../core/services/access/rate-limit.js';
import { AudioService, type AudioUse } from '../../../core/services/audio/audio.js';
import { PlaceCallback } from '../../../core/services/callbacks/place.js';
import { CallbackQueues } from '../../../core/services/callbacks/queue.js';
import { PrepareAudio } from '../../../core/services/calls/prepare-audio.js';
import { EventFeed } from '../../../core/services/events/feed.js';
import { WebhookEndpoints } from '../../../core/services/webhooks/endpoints.js';
import { MessageSigner } from '../../../core/services/webhooks/message.js';
import { environmentFlags } from '../../wiring/flags.js';
import type { Stores } from '../../wiring/stores.js';
import type { RouteOptions, SharedParts } from './options.js';
import { arabic } from '../../../core/model/wording/wording.js';

/**
 * Opens the services that several resources share.
 * @returns `stop` closes them
 */
export function openShared(
  options: RouteOptions,
  rateLimiter: RateLimiter,
  publicUrl: () => string,
): { shared: SharedParts; stop: () => void } {
  const { settings, stores, cipher, http, media, speech, clock, log } = options;
  const { db, writer, directory } = stores;
  const { routing, placement, engines, trial, destinations, velocity } = options.placing;
  const flags = environmentFlags(settings);
  const endpoints = new WebhookEndpoints({ db, http, signer: new MessageSigner(cipher), cipher, clock });
  const audio = new AudioService({
    db,
    media,
    clock,
    quotaBytes: settings.AUDIO_QUOTA_MB * 1_000_000,
    uses: [musicOf(stores.queues), promptsOf(stores.callflows), options.voicemail.boxes.audioUse],
  });
  const prepareAudio = new PrepareAudio({
    media,
    speech,
    clock,
    hasAudio: (of, audioId) => audio.has(of, audioId),
  });
  const placeCallback = new PlaceCallback({
    placement,
    queues: new CallbackQueues({ queues: stores.queues, coordinator: options.queues.coordinator }),
    directory,
    activeFlow: (of, callflowId) => stores.callflows.findActive(of, callflowId),
    velocity,
    routing,
    trial,
    destinations,
    numbers: stores.numbers,
    clock,
    engines,
    checkWebhookUrl: (address) => endpoints.assertUrl(address),
  });
  const feed = new EventFeed({ db, clock, log });
  const callbacks = new Callbacks(db);
  return {
    shared: { flags, rateLimiter, publicUrl, audio, prepareAudio, endpoints, feed, callbacks, placeCallback },
    stop: writer.onEvents((projectIds) => feed.signal(projectIds)),
  };
}

/** The queue that plays an uploaded audio file, if there is one. */
function musicOf(queues: Stores['queues']): AudioUse {
  return async (projectId, audioId) => {
    const queue = await queues.withMusic(projectId, audioId);
    return queue && { en: `the queue ${queue.name}`, ar: arabic`قائمة الانتظار ${queue.name}` };
  };
}

/** The call flow that plays an audio file, if there is one. */
function promptsOf(callflows: Stores['callflows']): AudioUse {
  return async (projectId, audioId) => {
    const [name] = await callflows.playing(projectId, audioId);
    return name === undefined ? null : { en: `the call flow ${name}`, ar: arabic`مسار المكالمات ${name}` };
  };
}
