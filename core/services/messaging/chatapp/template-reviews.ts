import { recordEvent } from '../../../data/outbox.js';
import type { MessageTemplates } from '../../../data/repositories/messaging/templates.js';
import type { MessageTemplateRow } from '../../../data/rows.js';
import { messagingProviderFailed } from '../../../model/errors/index.js';
import type { Clock } from '../../../ports/clock.js';
import type { Logger } from '../../../ports/logger.js';
import { ProviderRefusal, ProviderUnavailable } from '../../../ports/messaging/provider-errors.js';
import type { ReviewedTemplate, TemplateProvider } from '../../../ports/messaging/template-provider.js';
import type { IsStopping, PeriodicTask } from '../../runtime/periodic-task.js';
import { templateUpdated } from '../template-event.js';

export interface TemplateReviewsOptions {
  readonly templates: MessageTemplates;
  readonly provider: Pick<TemplateProvider, 'read'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly wake: (lanes: readonly string[]) => void;
}

const INTERVAL_MS = 60_000;
const MOST = 500;
const RETRY_SECONDS = 60;

/**
 * Learns what the provider decided about templates. A notice only says that there is something to read: so repeated and
 * late notices do no harm. Templates that wait are also asked for every minute, in case a notice was lost. A decision is
 * dropped if the content has changed since it was asked for.
 */
export class TemplateReviews implements PeriodicTask {
  readonly name = 'reviews of message templates';
  readonly everyMs = INTERVAL_MS;

  constructor(private readonly options: TemplateReviewsOptions) {}

  async run(isStopping: IsStopping = () => false): Promise<void> {
    const { templates, log } = this.options;
    for (const row of await templates.underReview(MOST)) {
      if (isStopping()) return;
      await this.#refresh(row).catch((err: unknown) => {
        if (!isOfProvider(err)) throw err;
        log.warn({ err, template: row.id }, 'the provider did not say what it decided about a template');
      });
    }
  }

  /**
   * Reads the decision about one template.
   * @throws HatifError INTERNAL_ERROR (502) if the provider is away: it reports again
   */
  async reviewed(projectId: string, providerId: string): Promise<void> {
    const row = await this.options.templates.ofProvider(projectId, providerId);
    if (!row) return;
    try {
      await this.#refresh(row);
    } catch (error) {
      if (!isOfProvider(error)) throw error;
      throw messagingProviderFailed(RETRY_SECONDS, error);
    }
  }

  async #refresh(row: MessageTemplateRow): Promise<void> {
    const { templates, provider, clock, wake } = this.options;
    if (row.provider_id === null) return;
    const review = (await provider.read(row.project_id, row.provider_id)) ?? gone(row, row.provider_id);
    const lanes = await templates.transaction(async (tx) => {
      const changed = await templates.decide(tx, row, review, clock.now());
      return changed ? recordEvent(tx, templateUpdated(changed)) : [];
    });
    wake(lanes);
  }
}

function isOfProvider(error: unknown): boolean {
  return error instanceof ProviderUnavailable || error instanceof ProviderRefusal;
}

/** Somebody deleted it at the provider. */
function gone({ category }: MessageTemplateRow, providerId: string): ReviewedTemplate {
  return { providerId, status: 'rejected', category, reason: 'the provider does not have it any more' };
}
