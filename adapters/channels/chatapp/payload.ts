import type { MessageInteractive, MessageMedia, TemplateValues } from '../../../core/model/messaging/extra.js';
import type { OutgoingMessage } from '../../../core/ports/messaging/message-channel.js';

/** The body of a request to send a message (Cloud API, `POST /{phone-number-id}/messages`). */
export function payloadOf(message: OutgoingMessage): object {
  return {
    ...{ messaging_product: 'whatsapp', recipient_type: 'individual', to: message.to.replace('+', '') },
    ...contentOf(message),
    // Comes back in each status, so that a lost response can be made up for.
    biz_opaque_callback_data: message.id,
  };
}

function contentOf({ text, content, template }: OutgoingMessage): object {
  if (template !== null) return { type: 'template', template: templateOf(template, content?.template ?? NO_VALUES) };
  if (content?.reaction) {
    return { type: 'reaction', reaction: { message_id: content.target, emoji: content.reaction.emoji } };
  }
  if (content?.media) return { type: content.media.kind, [content.media.kind]: mediaOf(content.media) };
  if (content?.interactive) return { type: 'interactive', interactive: interactiveOf(content.interactive, text) };
  return { type: 'text', text: { body: text, preview_url: true } };
}

const NO_VALUES: TemplateValues = { header: [], body: [], otp_button: false };

function templateOf(
  { name, language }: NonNullable<OutgoingMessage['template']>,
  { header, body, otp_button }: TemplateValues,
): object {
  const parameters = (values: readonly string[]) => values.map((text) => ({ type: 'text', text }));
  const components = [
    ...(header.length > 0 ? [{ type: 'header', parameters: parameters(header) }] : []),
    ...(body.length > 0 ? [{ type: 'body', parameters: parameters(body) }] : []),
    // The button copies the code, which is the only value of such a template.
    ...(otp_button ? [{ type: 'button', sub_type: 'url', index: '0', parameters: parameters(body.slice(0, 1)) }] : []),
  ];
  return { name, language: { code: language }, ...(components.length > 0 && { components }) };
}

function mediaOf({ kind, url, media_id, caption, file_name }: MessageMedia): object {
  return {
    ...(media_id === null ? { link: url } : { id: media_id }),
    ...(caption !== null && kind !== 'audio' && kind !== 'sticker' && { caption }),
    ...(file_name !== null && kind === 'document' && { filename: file_name }),
  };
}

function interactiveOf({ header, footer, buttons, list }: MessageInteractive, text: string): object {
  const action = list
    ? {
        button: list.button,
        sections: list.sections.map(({ title, rows }) => ({
          ...(title !== null && { title }),
          rows: rows.map(({ id, title: name, description }) => ({
            ...{ id, title: name },
            ...(description !== null && { description }),
          })),
        })),
      }
    : { buttons: buttons.map(({ id, title }) => ({ type: 'reply', reply: { id, title } })) };
  return {
    type: list ? 'list' : 'button',
    ...(header !== null && { header: { type: 'text', text: header } }),
    body: { text },
    ...(footer !== null && { footer: { text: footer } }),
    action,
  };
}
