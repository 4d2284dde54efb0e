import { violatedUnique } from '../../data/errors.js';
import { recordEvent } from '../../data/outbox.js';
import type { Position } from '../../data/repositories/calls/calls.js';
import type { MessageTemplates, TemplateFilter, TemplateKey } from '../../data/repositories/messaging/templates.js';
import type { ProjectKind } from '../../data/repositories/project-kind.js';
import type { MessageTemplateRow } from '../../data/rows.js';
import { HatifError, invalidField, validationError, type ErrorDetail, type Phrase } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import type { Channel } from '../../model/messaging/channels.js';
import { templateFaults, type TemplateCategory, type TemplateContent } from '../../model/messaging/template.js';
import type { Clock } from '../../ports/clock.js';
import type { ChannelAccess, ChannelUser } from './channel-access.js';
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
    const { templates, clock } = this.options;
    assertNone(templateFaults(template.channel, template.category, template));
    if (template.channel === 'chatapp' && !CHATAPP_NAME.test(template.name)) throw invalidField('name', BAD_NAME);
    await this.assertChannel(template.channel, editor);
    const now = clock.now();
    const row: MessageTemplateRow = {
      ...template,
      id: newId(),
      organization_id: editor.organizationId,
      project_id: editor.projectId,
      sandbox: editor.sandbox,
      status: 'pending',
      rejection_reason: null,
      provider_id: null,
      revision: 1,
      created_by_key: editor.keyId,
      request_id: editor.requestId,
      created_at: now,
      updated_at: now,
      decided_at: null,
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
   * Replaces the content, which is then pending again.
   * @throws HatifError VALIDATION_ERROR; what {@link assertChannel} throws; NOT_FOUND, also for one of the other kind
   */
  async replace(key: TemplateKey, change: TemplateChange, user: ChannelUser): Promise<MessageTemplateRow> {
    const { templates, clock, wake } = this.options;
    assertNone(templateFaults(key.channel, change.category, change));
    await this.assertChannel(key.channel, user);
    const now = clock.now();
    const [row, lanes] = await templates.transaction(async (tx) => {
      const old = await templates.lock(tx, user, key);
      if (!old) throw unknownTemplate(key.name, key.language);
      const category = change.category ?? old.category;
      // The category may be the one that the template had before.
      assertNone(templateFaults(key.channel, category, change));
      const replacement = {
        ...change,
        category,
        template_id: change.template_id ?? old.template_id,
        revision: old.revision + 1,
        updated_at: now,
      };
      await templates.replace(tx, old.id, replacement);
      const replaced: MessageTemplateRow = {
        ...old,
        ...replacement,
        status: 'pending',
        rejection_reason: null,
        decided_at: null,
      };
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
    await this.assertChannel(key.channel, user);
    if ((await this.options.templates.remove(user, key)) === 0) throw unknownTemplate(key.name, key.language);
  }
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
