import type { MessageTemplates } from '../../data/repositories/messaging/templates.js';
import type { ProjectKind } from '../../data/repositories/project-kind.js';
import type { MessageTemplateRow } from '../../data/rows.js';
import { invalidField, type Phrase } from '../../model/errors/index.js';
import type { Channel } from '../../model/messaging/channels.js';
import { classOf, type MessageClass } from '../../model/messaging/message.js';
import { fillTemplate } from '../../model/messaging/template.js';

/** A template with the values of its placeholders. */
export interface FilledTemplate {
  readonly name: string;
  readonly language: string;
  /** Null: only what does not depend on them is checked. */
  readonly variables: readonly string[] | null;
}

/** What a message says. */
export type MessageContent =
  | { readonly text: string; /** Of an e-mail. */ readonly subject: string | null }
  | { readonly template: FilledTemplate };

/** The words of a message. */
export interface MessageWords {
  readonly text: string;
  readonly subject: string | null;
  /** The class of its template; null without one. */
  readonly category: MessageClass | null;
}

/** Makes the texts of messages. */
export class MessageTexts {
  constructor(private readonly templates: Pick<MessageTemplates, 'read'>) {}

  /**
   * A template that messages can be made from.
   * @param path names it in the error
   * @throws HatifError VALIDATION_ERROR for one that is unknown or not approved
   */
  async template(
    channel: Channel,
    { name, language }: Pick<FilledTemplate, 'name' | 'language'>,
    kind: ProjectKind,
    path = 'template',
  ): Promise<MessageTemplateRow> {
    const template = await this.templates.read(kind, { channel, name, language });
    // A live message must not carry a text that only the sandbox has approved.
    if (template?.sandbox !== kind.sandbox) throw invalidField(path, UNKNOWN_TEMPLATE);
    if (template.status !== 'approved') throw invalidField(path, NOT_APPROVED);
    return template;
  }

  /** @throws HatifError VALIDATION_ERROR as {@link template} does, and for another count of values */
  async read(channel: Channel, content: MessageContent, kind: ProjectKind): Promise<MessageWords> {
    if ('text' in content) return { ...content, category: null };
    const { variables } = content.template;
    const template = await this.template(channel, content.template, kind);
    if (variables !== null && variables.length !== template.variables.length)
      throw invalidField('template.variables', OTHER_COUNT);
    return { ...wordsOf(channel, template, variables ?? template.variables), category: classOf(template.category) };
  }
}

/** The texts of a template with values. In an e-mail the header is the subject; elsewhere it is the first line. */
export function wordsOf(
  channel: Channel,
  { header, body, footer }: Pick<MessageTemplateRow, 'header' | 'body' | 'footer'>,
  values: readonly string[],
): Pick<MessageWords, 'text' | 'subject'> {
  const hasSubject = channel === 'email';
  const fill = (text: string): string => fillTemplate(text, values);
  const lines = [hasSubject ? null : header, body, footer].filter((line) => line !== null);
  return {
    text: lines.map(fill).join(hasSubject ? '\n\n' : '\n'),
    subject: hasSubject && header !== null ? fill(header) : null,
  };
}

const UNKNOWN_TEMPLATE: Phrase = {
  en: 'is not a template of this project on this channel and in this language',
  ar: 'ليس قالبًا لهذا المشروع على هذه القناة وبهذه اللغة',
};
const NOT_APPROVED: Phrase = { en: 'is not approved', ar: 'غير معتمد' };
export const OTHER_COUNT: Phrase = {
  en: 'must have one value for each placeholder of the template',
  ar: 'يجب أن يحتوي على قيمة لكل متغيّر في القالب',
};
