import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { RedisCommandBus } from '../../adapters/commands/redis-bus.js';
import { GuardedHttpClient } from '../../adapters/http/client.js';
import { BullJobs } from '../../adapters/jobs/bullmq.js';
import { connectRedis } from '../../adapters/jobs/redis.js';
import { RedisSipMemory } from '../../adapters/sip/redis-memory.js';
import { OpenIdConnect } from '../../adapters/openid/openid-connect.js';
import { AudioMediaStore } from '../../adapters/media/media-store.js';
import { openSpeech } from '../../adapters/speech/index.js';
import type { Settings } from '../../config/settings.js';
import type { Cipher } from '../../core/model/access/cipher.js';
import { systemClock, type Clock } from '../../core/ports/clock.js';
import type { CommandBus } from '../../core/ports/command-bus.js';
import type { JobQueue } from '../../core/ports/jobs.js';
import type { Logger } from '../../core/ports/logger.js';
import type { MediaStore } from '../../core/ports/media-store.js';
import type { ObjectStores } from '../../core/ports/object-store.js';
import type { OpenIdRelyingParty } from '../../core/ports/openid.js';
import type { OutboundHttp } from '../../core/ports/outbound-http.js';
import type { SipEdge } from '../../core/ports/sip/edge.js';
import type { SipMemory } from '../../core/ports/sip/memory.js';
import type { Speech } from '../../core/ports/speech.js';
import { OwnCalls } from '../../core/services/calls/own-calls.js';
import type { Closers } from '../../core/services/runtime/closers.js';
import type { IceServers } from '../../core/services/web-calling/ice-servers.js';
import type { Parts } from '../install/parts.js';
import { mediaFolder } from '../install/places.js';
import { openMetrics, type PlatformMetrics } from '../metrics/metrics.js';
import { migrateWhenThere } from './migrations.js';
import { openIceServers } from './ice-servers.js';
import { openSipEdge } from './sip/edge.js';
import { openStorages } from './storages.js';
import { openStores, type Stores } from './stores.js';
import { openaiVoice } from './speech/voices.js';

export interface InfrastructureOptions {
  readonly settings: Settings;
  readonly parts: Parts;
  readonly cipher: Cipher;
  readonly log: Logger;
}

/** Connections and adapters, one of each for the process. */
export interface Infrastructure extends InfrastructureOptions {
  readonly clock: Clock;
  readonly stores: Stores;
  readonly redis: Redis;
  /** Only for subscriptions. */
  readonly subscriber: Redis;
  readonly bus: CommandBus;
  /** Finds calls for control, those of this process in its memory. */
  readonly ownCalls: OwnCalls;
  readonly jobs: JobQueue;
  readonly http: OutboundHttp;
  readonly openid: OpenIdRelyingParty;
  readonly speech: Speech;
  readonly media: MediaStore;
  /** Folder of `media`. */
  readonly mediaDir: string;
  readonly storages: ObjectStores;
  readonly metrics: PlatformMetrics;
  readonly sipMemory: SipMemory;
  /** The way in for phones and carriers. */
  readonly sipEdge: SipEdge;
  /** The TURN and STUN servers of browsers. */
  readonly ice: IceServers;
}

/**
 * The first step of a start: migrates the database and connects to everything outside this process.
 * @throws DatabaseUnavailable
 */
export async function openInfrastructure(options: InfrastructureOptions, closers: Closers): Promise<Infrastructure> {
  const { settings, parts, log } = options;
  const clock = systemClock;
  await migrateWhenThere(parts.databaseUrl, clock, log);
  const mediaDir = mediaFolder(settings);
  await mkdir(mediaDir, { recursive: true });

  const stores = openStores(parts.databaseUrl, settings.DATABASE_POOL_SIZE);
  closers.add(() => stores.db.close());

  // Commands of one turn of the event loop are sent together: each write costs as much as the command.
  const redis = connectRedis(parts.redisUrl, 'hatif:main', log, {
    maxRetriesPerRequest: 1,
    enableAutoPipelining: true,
  });
  closers.add(() => redis.disconnect());
  const subscriber = connectRedis(parts.redisUrl, 'hatif:subscriber', log);
  const publisher = connectRedis(parts.redisUrl, 'hatif:publisher', log, { maxRetriesPerRequest: 1 });
  const bus = RedisCommandBus.open(publisher, subscriber, log);
  closers.addTolerant(() => bus.close());
  const jobs = new BullJobs({ redisUrl: parts.redisUrl, log });
  closers.addTolerant(() => jobs.close());

  const guard = { allowLoopback: settings.WEBHOOK_ALLOW_LOOPBACK ?? false };
  const http = new GuardedHttpClient(guard);
  closers.addTolerant(() => http.close());
  const openid = new OpenIdConnect({ ...guard, clock });
  closers.addTolerant(() => openid.close());
  const speech = await openSpeech({ espeak: parts.speech, openai: openaiVoice(settings) }, join(mediaDir, 'speech'), {
    onFailure: (voice, err) => log.warn({ err, voice }, 'a text-to-speech voice failed'),
  });
  closers.addTolerant(() => speech.close());
  const media = new AudioMediaStore({ dir: mediaDir, allowLoopback: settings.PLAY_URL_ALLOW_LOOPBACK });
  closers.addTolerant(() => media.close());

  const storages = openStorages(settings);
  // Checked at the start: otherwise the first recording would discover the fault, and wait.
  storages.current
    .check()
    .catch((error: unknown) => log.error({ err: error }, 'the storage of recordings cannot be used'));
  const metrics = openMetrics();
  const sipMemory = new RedisSipMemory(redis, subscriber, log);
  const sipEdge = openSipEdge(settings, stores.sipContacts, options.cipher, sipMemory, clock, log);
  return {
    ...{ ...options, clock, stores, redis, subscriber, bus, jobs, http, openid },
    ownCalls: new OwnCalls(stores.calls),
    ...{ speech, media, mediaDir, storages, metrics, sipMemory, sipEdge, ice: openIceServers(settings, parts, clock) },
  };
}
