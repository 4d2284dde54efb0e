import { positionsIn } from '../../../core/model/messaging/template.js';
import type { SubmittedTemplate } from '../../../core/ports/messaging/template-provider.js';

/**
 * The components of a template, as the provider wants them. Hatif numbers the placeholders of header and body together;
 * the provider numbers each component from 1.
 */
export function componentsOf(template: SubmittedTemplate): readonly object[] {
  if (template.category === 'AUTHENTICATION') return codeComponents(template);
  const { header, body, footer, buttons } = template;
  return [
    ...(header === null ? [] : [{ type: 'HEADER', format: 'TEXT', ...textOf(header, template, 'header_text') }]),
    { type: 'BODY', ...textOf(body, template, 'body_text') },
    ...(footer === null ? [] : [{ type: 'FOOTER', text: footer }]),
    ...(buttons.length === 0 ? [] : [{ type: 'BUTTONS', buttons }]),
  ];
}

/** The provider itself writes the text of a template for codes. */
function codeComponents({ otp_button }: SubmittedTemplate): readonly object[] {
  return [
    { type: 'BODY', add_security_recommendation: true },
    ...(otp_button ? [{ type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] }] : []),
  ];
}

function textOf(text: string, { variables }: SubmittedTemplate, example: 'header_text' | 'body_text'): object {
  const positions = positionsIn(text) ?? [];
  const samples = positions.map((position) => variables[position - 1] ?? '');
  return {
    text: renumbered(text, positions),
    ...(samples.length > 0 && { example: { [example]: example === 'body_text' ? [samples] : samples } }),
  };
}

function renumbered(text: string, positions: readonly number[]): string {
  return text.replace(/\{\{\s*(\d+)\s*\}\}/g, (_, name: string) => `{{${positions.indexOf(Number(name)) + 1}}}`);
}
