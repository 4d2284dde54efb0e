import { FrameReader } from '../../wire/ari-lines.js';
import { Framer } from '../../wire/esl-lines.js';
import type { Passed, Tap } from '../peers/tap.js';

/** A message of a protocol, with its length on the wire. */
interface Message {
  readonly name: string;
  readonly bytes: number;
  readonly text: string;
}

/** What passed between the application and an engine. */
interface Talk {
  /** The names of the commands of a call, in order. */
  readonly commands: readonly Message[];
  readonly events: readonly Message[];
}

/** The messages about the only channel that the engine had. */
export function talkAbout(kind: 'asterisk' | 'freeswitch', tap: Tap): Talk & { readonly channelId: string } {
  const talks = tap.connections.map(kind === 'asterisk' ? ariTalk : eslTalk);
  const [commands, events] = [talks.flatMap((talk) => talk.commands), talks.flatMap((talk) => talk.events)];
  const arrival = events.find(({ name }) => name === 'StasisStart' || name === 'CHANNEL_PARK');
  const { channel, 'Unique-ID': uniqueId } = JSON.parse(arrival?.text ?? '{}') as {
    readonly channel?: { readonly id: string };
    readonly 'Unique-ID'?: string;
  };
  const channelId = channel?.id ?? uniqueId ?? 'none';
  const ofCall = (messages: readonly Message[]): Message[] =>
    messages.filter(({ text }) => mentions(text, [channelId]));
  return { channelId, commands: ofCall(commands), events: ofCall(events) };
}

function mentions(text: string, ids: readonly string[]): boolean {
  return ids.some((id) => text.includes(id));
}

function eslTalk({ fromClient, fromService }: Passed): Talk {
  const commands: Message[] = [];
  const events: Message[] = [];
  const asked = new Framer((text) => {
    const [first = '', second = '', third = ''] = text.split(/[\s:]+/);
    const application = /^execute-app-name: (.*)$/m.exec(text)?.[1];
    const name = application ?? (first === 'api' ? second : first === 'bgapi' ? `${second} ${third}` : first);
    commands.push({ name, bytes: Buffer.byteLength(text) + 2, text });
  });
  const said = new Framer((head, body) => {
    if (!head.includes('text/event-json')) return;
    const { 'Event-Name': name = '' } = JSON.parse(body) as Record<string, string>;
    events.push({ name, bytes: Buffer.byteLength(head) + 2 + Buffer.byteLength(body), text: body });
  });
  asked.push(Buffer.concat(fromClient));
  said.push(Buffer.concat(fromService));
  return { commands, events };
}

/** Not only at the start of a line: the body of the request before may not end with a line break. */
const REQUEST = /(GET|POST|PUT|DELETE) (\/\S*) HTTP\/1\.1\r\n/g;
const SECOND_LINE = '\r\n\r\n';

function ariTalk({ fromClient, fromService }: Passed): Talk {
  const commands: Message[] = [];
  const events: Message[] = [];
  const asked = Buffer.concat(fromClient);
  const text = asked.toString('latin1');
  if (/^upgrade: websocket/im.test(text)) {
    const said = Buffer.concat(fromService);
    const reader = new FrameReader((kind, payload) => {
      if (kind !== 'text') return;
      const event = payload.toString('utf8');
      const { type } = JSON.parse(event) as { readonly type: string };
      events.push({ name: type, bytes: payload.length, text: event });
    });
    reader.push(said.subarray(said.indexOf(SECOND_LINE) + SECOND_LINE.length));
    return { commands, events };
  }
  const starts = [...text.matchAll(REQUEST)];
  for (const [at, { index, 1: method = '', 2: path = '' }] of starts.entries()) {
    const request = text.slice(index, starts[at + 1]?.index);
    const name = `${method} ${new URL(path, 'http://engine').pathname.replaceAll(/[0-9a-f-]{36}|\d+\.\d+|[\w-]+-\d{10}\.\d+/g, '…')}`;
    commands.push({ name, bytes: request.length, text: request });
  }
  return { commands, events };
}

/** The HTTP requests over these connections. */
export function requestsOver(tap: Tap): number {
  const of = ({ fromClient }: Passed): number =>
    [...Buffer.concat(fromClient).toString('latin1').matchAll(REQUEST)].length;
  return tap.connections.reduce((sum, passed) => sum + of(passed), 0);
}

/** The protocol's messages that carry values of a statement: Bind, and a statement without values. */
const STATEMENTS = new Set(['B', 'Q']);
/** The first message has no type. */
const LENGTH_BYTES = 4;

/** The statements of PostgreSQL whose values have one of the ids. */
export function statementsAbout(tap: Tap, ids: readonly string[]): number {
  return tap.connections.reduce((sum, { fromClient }) => sum + statementsIn(Buffer.concat(fromClient), ids), 0);
}

function statementsIn(bytes: Buffer, ids: readonly string[]): number {
  let count = 0;
  let at = bytes.length < LENGTH_BYTES ? 0 : bytes.readUInt32BE(0);
  while (at + 1 + LENGTH_BYTES <= bytes.length) {
    const end = at + 1 + bytes.readUInt32BE(at + 1);
    const isStatement = STATEMENTS.has(String.fromCharCode(bytes.readUInt8(at)));
    if (isStatement && mentions(bytes.toString('latin1', at, end), ids)) count += 1;
    at = end;
  }
  return count;
}

/** The commands of Redis that mention one of the ids. */
export function redisCommandsAbout(tap: Tap, ids: readonly string[]): number {
  const commands = tap.connections.flatMap(({ fromClient }) =>
    Buffer.concat(fromClient)
      .toString('latin1')
      .split(/^(?=\*\d+\r\n\$\d+\r\n[A-Za-z]+\r\n)/m),
  );
  return commands.filter((command) => mentions(command, ids)).length;
}
