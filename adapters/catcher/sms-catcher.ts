import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { CaughtMessage } from '../../core/ports/messaging/message-catcher.js';
import { SmppSession, type SmppPdu } from '../channels/sms/smpp/session.js';
import { readText } from '../channels/sms/smpp/user-data.js';

/** Command status (SMPP 3.4 §5.1.3): the command is not known. */
const UNKNOWN_COMMAND = 0x03;
const BINDS: ReadonlySet<string> = new Set(['bind_transceiver', 'bind_transmitter', 'bind_receiver']);
/** registered_delivery (§5.2.17): a receipt of every outcome. */
const WANTS_RECEIPT = 0x01;
const RECEIPT = 0x04;
const DELIVERED = 2;
const RESPONSE_MS = 10_000;
/** Long messages of which parts are missing. */
const MOST_INCOMPLETE = 1_000;

/** One client of the SMSC. */
interface Client {
  readonly session: SmppSession;
  systemId: string | null;
  /** Whether it takes receipts. */
  isReceiver: boolean;
}

/**
 * An SMSC (SMPP 3.4) that delivers nothing: it takes each message, shows it, and reports it as delivered. Any system id
 * and password may bind, so it listens on the loopback only.
 */
export class SmsCatcher {
  readonly #clients = new Set<Client>();
  readonly #incomplete = new LRUCache<string, Map<number, string>>({ max: MOST_INCOMPLETE });
  #count = 0;

  private constructor(
    private readonly server: Server,
    private readonly onMessage: (message: CaughtMessage) => void,
  ) {
    server.on('connection', (socket) => this.#serve(socket));
  }

  /** @param port `0` chooses a free port @throws Error of Node.js if the port is in use */
  static async start(port: number, onMessage: (message: CaughtMessage) => void): Promise<SmsCatcher> {
    const server = createServer();
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new SmsCatcher(server, onMessage);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Sends a message to the clients, as a person would. @returns whether somebody took it */
  async reply(from: string, to: string, text: string): Promise<boolean> {
    const receiver = [...this.#clients].find(({ isReceiver }) => isReceiver);
    if (!receiver) return false;
    const body = Buffer.from(text, 'utf16le').swap16();
    const fields = { ...addresses(from, to), data_coding: 8, message_payload: body, short_message: Buffer.alloc(0) };
    const answer = await receiver.session.request('deliver_sm', fields, RESPONSE_MS);
    return answer.kind === 'response' && answer.pdu.command_status === 0;
  }

  async close(): Promise<void> {
    for (const { session } of this.#clients) session.close();
    this.server.close();
    await once(this.server, 'close');
  }

  #serve(socket: Socket): void {
    const session = new SmppSession(socket, {
      request: (pdu) => this.#take(client, pdu),
      closed: () => this.#clients.delete(client),
    });
    const client: Client = { session, systemId: null, isReceiver: false };
    this.#clients.add(client);
  }

  #take(client: Client, pdu: SmppPdu): void {
    const { session } = client;
    if (BINDS.has(pdu.command)) {
      client.systemId = pdu.system_id ?? '';
      client.isReceiver = pdu.command !== 'bind_transmitter';
      session.respond(pdu, 0, { system_id: 'hatif' });
    } else if (pdu.command === 'submit_sm') {
      this.#submitted(client, pdu);
    } else if (pdu.command === 'enquire_link') {
      session.respond(pdu, 0);
    } else if (pdu.command === 'unbind') {
      session.respond(pdu, 0);
      session.close();
    } else {
      session.respond(pdu, UNKNOWN_COMMAND);
    }
  }

  #submitted(client: Client, pdu: SmppPdu): void {
    const id = `catch-${(this.#count += 1)}`;
    client.session.respond(pdu, 0, { message_id: id });
    const [from, to] = [e164(pdu.source_addr ?? ''), e164(pdu.destination_addr ?? '')];
    const text = this.#whole(`${from} ${to}`, readText(pdu));
    if (text !== null) this.onMessage({ channel: 'sms', from, to, subject: null, text, files: [] });
    if (((pdu.registered_delivery ?? 0) & WANTS_RECEIPT) === 0) return;
    // A client that only submits gets its receipts over another connection.
    const receiver = client.isReceiver
      ? client
      : [...this.#clients].find(({ systemId, isReceiver }) => isReceiver && systemId === client.systemId);
    void receiver?.session.request('deliver_sm', receiptOf(id, pdu), RESPONSE_MS);
  }

  /** The text once all of its parts are there; otherwise null. */
  #whole(between: string, { text, series }: ReturnType<typeof readText>): string | null {
    if (series === null) return text;
    const key = `${between} ${series.reference} ${series.total}`;
    const parts = this.#incomplete.get(key) ?? new Map<number, string>();
    parts.set(series.number, text);
    this.#incomplete.set(key, parts);
    if (parts.size < series.total) return null;
    this.#incomplete.delete(key);
    return [...parts].sort(([one], [other]) => one - other).reduce((whole, [, part]) => whole + part, '');
  }
}

/** SMPP 3.4 appendix B, with the members that name the same. */
function receiptOf(id: string, { source_addr = '', destination_addr = '' }: SmppPdu) {
  const at = dateOf(new Date());
  const text = `id:${id} sub:001 dlvrd:001 submit date:${at} done date:${at} stat:DELIVRD err:000 text:`;
  return {
    ...addresses(destination_addr, source_addr),
    ...{ esm_class: RECEIPT, short_message: Buffer.from(text, 'latin1') },
    ...{ receipted_message_id: id, message_state: DELIVERED },
  };
}

function addresses(source: string, destination: string) {
  const [source_addr, destination_addr] = [source.replace(/^\+/, ''), destination.replace(/^\+/, '')];
  return { source_addr_ton: 1, source_addr_npi: 1, source_addr, dest_addr_ton: 1, dest_addr_npi: 1, destination_addr };
}

/** `YYMMDDhhmm`. */
function dateOf(at: Date): string {
  return at.toISOString().replace(/\D/g, '').slice(2, 12);
}

function e164(address: string): string {
  return /^\d{7,15}$/.test(address) ? `+${address}` : address;
}
