import { expect } from 'chai';
import type { Answer } from '../api.js';
import { eventually } from '../eventually.js';
import { textsIn } from '../judges/received-texts.js';
import type { Baresip } from '../phones/index.js';
import { succeeded } from '../judges/succeeded.js';

/** A platform with softphones, whatever is between them. */
export interface TextPlace {
  readonly lineNumber: string;
  request(method: string, path: string, json?: object): Promise<Answer>;
}

/** With what an engine could take for a command, a field, a line or a part of a header. */
const TEXTS = [
  'مرحبًا يا ريم، طلبك رقم ٤٧١١ في الطريق إليك 🚚',
  `It's "quoted" | barred \\ slashed, \${x} 100% <b>&amp;\nnext line\n\n.`,
  ' blanks at both ends ',
];

/** Two texts long. */
const LONG = `${'كلمة '.repeat(120)}.`;

/** Lets the project send texts under its line number. */
export async function approveSender(place: TextPlace): Promise<void> {
  // A number of the project is approved at once.
  await good(place, 'POST', '/v1/messages/senders', { sender: place.lineNumber });
}

/** Sends texts to an agent, and expects that the phone, which traces SIP, gets them byte for byte. */
export async function getsTexts(place: TextPlace, phone: Baresip, to: string, status: 'sent' | 'delivered') {
  const received = (): readonly string[] => textsIn(phone.log()).map(({ body }) => body);
  for (const text of TEXTS) {
    const before = received().length;
    await messageBecomes(place, await sendText(place, to, text), status);
    await eventually(
      () => received().length === before + 1,
      () => `the text is at the phone, not ${received().join('/')}`,
    );
    expect(received().at(-1)).to.equal(text);
  }
  const before = received().length;
  await messageBecomes(place, await sendText(place, to, LONG), status);
  await eventually(() => received().length === before + 2, 'both parts are at the phone');
  expect(received().slice(before).join('')).to.equal(LONG);
  const { from, type } = textsIn(phone.log())[0]!;
  expect(from).to.include(`sip:${place.lineNumber}@`);
  expect(type).to.match(/^text\/plain/);
}

/** @returns the id of the message */
export async function sendText(place: TextPlace, to: string, text: string): Promise<string> {
  const { message_id } = await good(place, 'POST', '/v1/messages', { channel: 'sms', to, text });
  return String(message_id);
}

export async function messageBecomes(place: TextPlace, id: string, status: string): Promise<Record<string, unknown>> {
  let message: Record<string, unknown> = {};
  await eventually(
    async () => {
      message = await good(place, 'GET', `/v1/messages/${id}`);
      return message.status === status;
    },
    () => `the message is ${status}, not ${JSON.stringify(message)}`,
    60_000,
  );
  return message;
}

async function good(place: TextPlace, method: string, path: string, json?: object): Promise<Record<string, unknown>> {
  return succeeded(await place.request(method, path, json));
}
