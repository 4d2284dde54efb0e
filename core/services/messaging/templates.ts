import { violatedUnique } from '../../data/errors.js';
import { recordEvent } from '../../data/outbox.js';
import type { Position } from '../../data/repositories/calls/calls.js';
import type { MessageTemplates, TemplateFilter, TemplateKey } from '../../data/repositories/messaging/templates.js';
import type { ProjectKind } from '../../data/repositories/project-kind.js';
import type { MessageTemplateRow } from '../../data/rows.js';
import {
  HatifError,
  invalidField,
  messagingProviderFailed,
  validationError,
  type ErrorDetail,
  type Phrase,
} from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { isReviewedByProvider, type Channel } from '../../model/messaging/channels.js';
import {
  templateFaults,
  type TemplateCategory,
  type TemplateContent,
  type TemplateReview,
} from '../../model/messaging/template.js';
import type { Clock } from '../../ports/clock.js';
import { ProviderRefusal, ProviderUnavailable } from '../../ports/messaging/provider-errors.js';
import type { TemplateProvider } from '../../ports/messaging/template-provider.js';
import type { ChannelAccess, ChannelUser } from './channel-access.js';
import { refusedBy } from './refused-by.js';
import { templateUpdated } from './template-event.js';

/** The key and request that change a template. */
export interface TemplateEditor extends ChannelUser {
  readonly organizationId: string;
  readonly keyId: string;
  readonly requestId: string;
}

export interface NewTemplate extends TemplateKey, TemplateContent {
  readonly category: TemplateCategory;
  readonly template_id: string | null;
}

/** Absent members of category and template_id stay as they were. */
export interface TemplateChange extends TemplateContent {
  readonly category: TemplateCategory | null;
  readonly template_id: string | null;
}

export interface TemplateServiceOptions {
  readonly templates: MessageTemplates;
  readonly access: Pick<ChannelAccess, 'assert'>;
  /** Reviews the live templates of the chat application. */
  readonly provider: TemplateProvider;
  readonly clock: Clock;
  readonly wake: (lanes: readonly string[]) => void;
}

/**
 * Manages message templates. A new or changed one is pending until it is approved or rejected: by the messaging
 * provider, or without a provider by Hatif itself ({@link ApproveTemplates}).
 */
export class TemplateService {
  constructor(private readonly options: TemplateServiceOptions) {}

  /**
   * Checks that the organization may use templates of the channel.
   * @throws as ChannelAccess.assert does
   */
  assertChannel(channel: Channel, user: ChannelUser): Promise<void> {
    return this.options.access.assert(channel, 'templates', user);
  }

  /** @throws HatifError VALIDATION_ERROR; what {@link assertChannel} throws */
  async create(template: NewTemplate, editor: TemplateEditor): Promise<MessageTemplateRow> {
    const { templates, provider, clock } = this.options;
    assertNone(templateFaults(template.channel, template.category, template));
    if (template.channel === 'chatapp' && !CHATAPP_NAME.test(template.name)) throw invalidField('name', BAD_NAME);
    await this.assertChannel(template.channel, editor);
    const isTaken = await templates.read(editor, template);
    if (isTaken?.sandbox === editor.sandbox) throw invalidField('name', TAKEN);
    const review = isReviewed(template.channel, editor)
      ? await ofProvider(provider.create(editor.projectId, template))
      : null;
    const now = clock.now();
    const row: MessageTemplateRow = {
      ...template,
      id: newId(),
      organization_id: editor.organizationId,
      project_id: editor.projectId,
      sandbox: editor.sandbox,
      ...decisionOf(review, template.category, now),
      provider_id: review?.providerId ?? null,
      revision: 1,
      created_by_key: editor.keyId,
      request_id: editor.requestId,
      created_at: now,
      updated_at: now,
    };
    try {
      await templates.create(row);
    } catch (error) {
      if (violatedUnique(error) === 'message_templates_name') throw invalidField('name', TAKEN);
      throw error;
    }
    return row;
  }

  /** The template that a request created before its process died. */
  createdBy(projectId: string, keyId: string, requestId: string): Promise<MessageTemplateRow | null> {
    return this.options.templates.createdBy(projectId, keyId, requestId);
  }

  list(
    kind: ProjectKind,
    filter: TemplateFilter,
    after: Position | null,
    limit: number,
  ): Promise<MessageTemplateRow[]> {
    return this.options.templates.list(kind, filter, { after, limit });
  }

  /** @throws what {@link assertChannel} throws; HatifError NOT_FOUND */
  async get(key: TemplateKey, user: ChannelUser): Promise<MessageTemplateRow> {
    await this.assertChannel(key.channel, user);
    const row = await this.options.templates.read(user, key);
    if (!row) throw unknownTemplate(key.name, key.language);
    return row;
  }

  /**
   * Replaces the content, which is then pending again, and submits it to the provider if one reviews it.
   * @throws HatifError VALIDATION_ERROR; what {@link assertChannel} throws; NOT_FOUND, also for one of the other kind
   */
  async replace(key: TemplateKey, change: TemplateChange, user: ChannelUser): Promise<MessageTemplateRow> {
    const { templates, provider, clock, wake } = this.options;
    assertNone(templateFaults(key.channel, change.category, change));
    await this.assertChannel(key.channel, user);
    const now = clock.now();
    const [row, lanes] = await templates.transaction(async (tx) => {
      const old = await templates.lock(tx, user, key);
      if (!old) throw unknownTemplate(key.name, key.language);
      const category = change.category ?? old.category;
      // The category may be the one that the template had before.
      assertNone(templateFaults(key.channel, category, change));
      const submitted = { ...change, name: old.name, language: old.language, category };
      // The row stays locked, so that the provider gets two changes in their order.
      const review = isReviewed(key.channel, user)
        ? await ofProvider(
            old.provider_id === null
              ? provider.create(user.projectId, submitted)
              : provider.replace(user.projectId, old.provider_id, submitted),
          )
        : null;
      const replacement = {
        ...change,
        ...decisionOf(review, category, now),
        provider_id: review?.providerId ?? old.provider_id,
        template_id: change.template_id ?? old.template_id,
        revision: old.revision + 1,
        updated_at: now,
      };
      await templates.replace(tx, old.id, replacement);
      const replaced: MessageTemplateRow = { ...old, ...replacement };
      return [replaced, await recordEvent(tx, templateUpdated(replaced))] as const;
    });
    wake(lanes);
    return row;
  }

  /**
   * Deletes one language of a template, or all (`language: null`).
   * @throws what {@link assertChannel} throws; HatifError NOT_FOUND, also for one of the other kind
   */
  async remove(
    key: Omit<TemplateKey, 'language'> & { readonly language: string | null },
    user: ChannelUser,
  ): Promise<void> {
    const { templates, provider } = this.options;
    await this.assertChannel(key.channel, user);
    const known = await templates.ofName(user, key);
    if (known.length === 0) throw unknownTemplate(key.name, key.language);
    if (isReviewed(key.channel, user)) {
      for (const { name, provider_id } of known) {
        if (provider_id !== null) await ofProvider(provider.remove(user.projectId, name, provider_id));
      }
    }
    await templates.remove(user, key);
  }
}

const RETRY_SECONDS = 30;

function isReviewed(channel: Channel, { sandbox }: ProjectKind): boolean {
  return isReviewedByProvider(channel) && !sandbox;
}

/** @throws HatifError VALIDATION_ERROR for a template that the provider refuses; INTERNAL_ERROR (502) if it failed */
async function ofProvider<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ProviderUnavailable) throw messagingProviderFailed(RETRY_SECONDS, error);
    if (error instanceof ProviderRefusal) throw invalidField('body', refusedBy(error));
    throw error;
  }
}

/** Without a review, and while there is no decision, the template is pending. */
function decisionOf(review: TemplateReview | null, category: TemplateCategory, at: Date) {
  const { status, reason, category: of } = review ?? { status: 'pending', reason: null, category };
  return {
    ...{ status, category: of, decided_at: status === 'pending' ? null : at },
    rejection_reason: status === 'rejected' ? reason : null,
  };
}

/** What providers accept as the name of a template. */
const CHATAPP_NAME = /^[a-z0-9_]{1,512}$/;
const BAD_NAME: Phrase = {
  en: 'must be lower-case Latin letters, digits and underscores on the channel chatapp',
  ar: 'يجب أن يتكون من حروف لاتينية صغيرة وأرقام وشرطات سفلية في القناة `chatapp`',
};
const TAKEN: Phrase = {
  en: 'is taken in this language; PUT changes the template',
  ar: 'مستخدم بهذه اللغة؛ استخدم `PUT` لتعديل القالب',
};

function assertNone(faults: readonly ErrorDetail[]): void {
  const [first, ...others] = faults;
  if (first) throw validationError([first, ...others]);
}

function unknownTemplate(name: string, language: string | null): HatifError<'NOT_FOUND'> {
  const languageEn = language === null ? '' : ` in the language ${language}`;
  const languageAr = language === null ? '' : ` باللغة \`${language}\``;
  return new HatifError('NOT_FOUND', {
    what: { en: `the template ${name}${languageEn}`, ar: `القالب \`${name}\`${languageAr}` },
  });
}
