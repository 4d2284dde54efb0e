import { Closers } from '../core/services/runtime/closers.js';
import { runPeriodicTasks } from '../core/services/runtime/periodic-task.js';
import { TranscribeRecording } from '../core/services/transcription/transcribe.js';
import { Deliverer } from '../core/services/webhooks/deliverer.js';
import { MessageSigner } from '../core/services/webhooks/message.js';
import type { JobsOptions } from './options.js';
import { periodicTasks } from './periodic.js';
import { startTranscriptionWorker } from './transcription-worker.js';
import { startWebhookWorker } from './webhook-worker.js';

/**
 * Runs the background jobs in this process.
 * @returns stops them: nothing new is started, and running jobs end after their current batch, request or recording
 */
export function startJobs(options: JobsOptions): () => Promise<void> {
  const { stores, storages, cipher, jobs, http, webhooks, transcriber, clock, log } = options;
  const { db, transcripts, writer } = stores;
  const closers = new Closers();

  const signer = new MessageSigner(cipher);
  const deliverer = new Deliverer({ db, http, signer, clock, log, observer: webhooks });
  closers.add(() => deliverer.stop());

  const wake = (lanes: readonly string[]): void => writer.notifyLanes(lanes);
  const transcribe =
    transcriber && new TranscribeRecording({ transcripts, stores: storages, transcriber, clock, log, wake });
  const stopWorkers = [
    startWebhookWorker(jobs, deliverer),
    ...(transcribe ? [startTranscriptionWorker(jobs, transcribe)] : []),
  ];
  closers.add(() => Promise.all(stopWorkers.map((stop) => stop())));

  closers.add(runPeriodicTasks(periodicTasks(options, { deliverer, transcribe }), { clock, log }));
  return () => closers.close();
}
