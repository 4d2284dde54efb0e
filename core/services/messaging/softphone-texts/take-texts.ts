import { LRUCache } from 'lru-cache';
import { DatabaseUnavailable, violatedUnique } from '../../../data/errors.js';
import type { SoftphoneTextTable } from '../../../data/repositories/messaging/softphone-texts.js';
import type { AgentRow, OrganizationRow, SoftphoneTextRow } from '../../../data/rows.js';
import { atMost } from '../../../model/cache-size.js';
import { HatifError, invalidField, type Phrase } from '../../../model/errors/index.js';
import { newId } from '../../../model/ids.js';
import { spokenLanguageOf } from '../../../model/messaging/fallback.js';
import { LONGEST_TEXT_BYTES, type ReceivedText } from '../../../model/messaging/softphone-text.js';
import { destinationClassOf } from '../../../model/number/destination-class.js';
import { parseNumber } from '../../../model/phone-numbers.js';
import { isWebAor } from '../../../model/web-calling.js';
import type { Logger } from '../../../ports/logger.js';
import type { SoftphoneTexts } from '../../../ports/messaging/softphone-texts.js';
import { assertActive } from '../../access/suspension.js';
import type { CachedDirectory } from '../../routing/directory.js';
import type { IsStopping, PeriodicTask } from '../../runtime/periodic-task.js';
import { classRefused } from '../checks.js';
import { refusalOf } from '../gate.js';
import type { NewMessage, SendMessage } from '../send.js';
import type { SoftphoneRecipients } from '../softphones/recipients.js';

export interface TakeTextsOptions {
  readonly texts: Pick<SoftphoneTextTable, 'next'>;
  readonly directory: Pick<CachedDirectory, 'agentByAor' | 'numberOfAgent' | 'project' | 'highRiskPrefixes'>;
  readonly organization: (id: string) => Promise<OrganizationRow | null>;
  /** Whether the organization has SMS at all. */
  readonly isEnabled: (organization: OrganizationRow) => boolean;
  readonly recipients: Pick<SoftphoneRecipients, 'of'>;
  readonly send: Pick<SendMessage, 'send'>;
  /** Sends the phone the reason why its text is not sent. */
  readonly softphones: SoftphoneTexts;
  readonly log: Logger;
}

const INTERVAL_MS = 500;
const MINUTE_MS = 60_000;
const MOST_NOTICES = 10;
const MOST_PHONES = 10_000;

/** The row of a text that has just come in. */
export function textRow({ aor, target, body, callId }: ReceivedText, at: Date): SoftphoneTextRow {
  // PostgreSQL does not store NUL.
  const [kept, address] = [body, target].map((text) => text.replaceAll('\0', '')) as [string, string];
  return { id: newId(), aor, target: address.slice(0, 254), body: kept, call_id: callId, received_at: at };
}

/**
 * Makes messages of what softphones have sent: SMS from the agent's number, or a text to a colleague. They pass the same
 * gate as messages of the API. The phone has its confirmation by then, so it gets the refusal as a text.
 */
export class TakeTexts implements PeriodicTask {
  readonly name = 'texts of softphones';
  readonly everyMs = INTERVAL_MS;

  /** How many refusals each phone was notified of within a minute. */
  readonly #notices = new LRUCache<string, number>({ ...atMost(MOST_PHONES), ttl: MINUTE_MS });

  constructor(private readonly options: TakeTextsOptions) {}

  async run(isStopping: IsStopping = () => false): Promise<void> {
    const { texts } = this.options;
    while (!isStopping() && (await texts.next((row) => this.#take(row))));
  }

  /** @throws DatabaseUnavailable: the text is taken again */
  async #take(row: SoftphoneTextRow): Promise<void> {
    const { directory, log } = this.options;
    const agent = isWebAor(row.aor) ? null : await directory.agentByAor(row.aor);
    if (!agent) {
      log.warn({ aor: row.aor }, 'a text was dropped, because its sender is no agent');
      return;
    }
    try {
      const refusal = await refusalOf(this.#send(row, agent));
      if (refusal) this.#refuse(row, refusal);
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      // The process that sent it died before it could delete the text.
      if (violatedUnique(error) === 'messages_pkey') return;
      log.error({ err: error, message: row.id }, 'a text of a softphone could not be sent');
    }
  }

  /** @throws HatifError */
  async #send({ id, target, body }: SoftphoneTextRow, agent: AgentRow): Promise<void> {
    const { directory, organization: find, isEnabled, recipients, send } = this.options;
    const { project_id: projectId, organization_id: organizationId } = agent;
    const organization = await find(organizationId);
    if (!organization || !isEnabled(organization)) throw new HatifError('MESSAGES_DISABLED');
    assertActive(organization);
    if (body.trim() === '' || Buffer.byteLength(body) > LONGEST_TEXT_BYTES) throw invalidField('text', BAD_LENGTH);
    const number = parseNumber(target, { allowForeign: true });
    const to = number?.kind === 'emergency' ? target : (number?.e164 ?? target);
    const isInside = (await recipients.of(projectId, to)) !== null;
    if (!isInside && !to.startsWith('+')) throw new HatifError('INVALID_PHONE_NUMBER', { field: 'to' });
    if (!isInside) await this.#assertMayWrite(agent, to);
    const own = (await directory.numberOfAgent(projectId, agent.agent))?.e164 ?? null;
    const outside = agent.caller_id_number ?? own ?? (await directory.project(projectId))?.main_number ?? null;
    const sender: Pick<NewMessage, 'from' | 'shownAs'> = isInside
      ? { from: null, shownAs: own ?? agent.agent }
      : { from: outside };
    const message: NewMessage = {
      ...{ id, channel: 'sms', to, class: 'personal', scheduledAt: null, validUntil: null, metadata: {} },
      ...{ content: { text: body, subject: null, extra: null }, ...sender },
    };
    const writer = { organization, organizationId, projectId, sandbox: false, keyId: null, requestId: id };
    // A conversation with a colleague belongs to no agent.
    await send.send(message, { ...writer, agent: isInside ? null : agent.agent });
  }

  /** The classes of numbers that the agent may call are those that the agent may write to. @throws HatifError */
  async #assertMayWrite({ may_call_out, destination_classes }: AgentRow, to: string): Promise<void> {
    const needed = destinationClassOf(to, await this.options.directory.highRiskPrefixes());
    if (!may_call_out || !destination_classes.includes(needed)) throw classRefused(needed);
  }

  /** A phone that answers every text by itself gets few notices. One that is lost is not repeated. */
  #refuse({ id, aor, target, body }: SoftphoneTextRow, error: HatifError): void {
    const { softphones, log } = this.options;
    log.info({ aor, message: id, code: error.code }, 'a text of a softphone was refused');
    const count = (this.#notices.get(aor) ?? 0) + 1;
    this.#notices.set(aor, count, { noUpdateTTL: true });
    if (count > MOST_NOTICES) return;
    const isArabic = spokenLanguageOf(body) === 'ar';
    const reasons = error.details?.map(({ path, message, message_ar }) =>
      isArabic ? `\`${path}\` ${message_ar ?? message}` : `${path} ${message}`,
    ) ?? [isArabic ? error.messageAr : error.message];
    const why = reasons.join('; ');
    const notice = isArabic ? `لم تُرسل رسالتك إلى ${target}: ${why}` : `Your message to ${target} was not sent: ${why}`;
    softphones
      .send({ aor, from: target, body: notice })
      .catch((err: unknown) => log.warn({ err, aor }, 'a softphone could not be notified of a refusal'));
  }
}

const BAD_LENGTH: Phrase = {
  en: 'must have 1 to 4,000 bytes, or 1,023 if the phone is registered at Asterisk',
  ar: 'يجب أن يكون طوله بين بايت واحد و4000 بايت، أو 1023 بايت إذا كان الهاتف مسجّلًا في Asterisk',
};
