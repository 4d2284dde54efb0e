import { Retention, type RetentionOptions } from '../core/services/retention/retention.js';

/** Delete what is too old, in this process or another. @returns how to stop: a run that is under way ends with its batch. */
export function runRetention(options: RetentionOptions): () => Promise<void> {
  const retention = new Retention(options);
  retention.start();
  return () => retention.stop();
}
