import type { Socket } from 'node:net';
// @ts-expect-error -- the package has no types; this file is the only one that imports it, and gives it some
import smpp from 'smpp';

/** A PDU of SMPP 3.4, with the members that Hatif uses. Texts are bytes. */
export interface SmppPdu {
  readonly command: string;
  readonly command_status: number;
  readonly sequence_number: number;
  readonly message_id?: string;
  readonly source_addr?: string;
  readonly destination_addr?: string;
  readonly esm_class?: number;
  readonly data_coding?: number;
  readonly short_message?: Uint8Array;
  readonly message_payload?: Uint8Array;
  readonly receipted_message_id?: string;
  readonly message_state?: number;
  readonly sar_msg_ref_num?: number;
  readonly sar_total_segments?: number;
  readonly sar_segment_seqnum?: number;
  readonly registered_delivery?: number;
  /** Of a bind. */
  readonly system_id?: string;
}

/** The members of a PDU that is sent. */
export type PduFields = Readonly<Record<string, string | number | Uint8Array | Date>>;

interface LibraryPdu extends SmppPdu {
  response(fields: PduFields): LibraryPdu;
}

interface LibrarySession {
  send(pdu: LibraryPdu): boolean;
  on(event: 'pdu', listener: (pdu: LibraryPdu) => void): void;
  on(event: 'close', listener: () => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
}

interface Library {
  readonly Session: new (options: { readonly socket: Socket }) => LibrarySession;
  readonly PDU: new (command: string, fields: PduFields) => LibraryPdu;
  readonly commands: Readonly<Record<string, { readonly params?: Record<string, { filter?: unknown }> }>>;
  readonly tlvs: Record<string, { filter?: unknown }>;
}

const library = smpp as Library;

// The library would encode and decode texts: it breaks on a user data header (its issue 228) and on a body of digits
// (229). Without its filters, texts are bytes in both directions.
for (const { params } of Object.values(library.commands)) delete params?.short_message?.filter;
delete library.tlvs.message_payload?.filter;

/** Takes what happens on a connection. */
export interface SessionListener {
  /** A request of the other side. It is answered by {@link SmppSession.respond}. */
  request(pdu: SmppPdu): void;
  /** The connection is over; nothing more comes. Called once. */
  closed(error: Error | null): void;
}

/** Answers to requests of this side. */
export type SmppAnswer =
  | { readonly kind: 'response'; readonly pdu: SmppPdu }
  /** The request was not written. */
  | { readonly kind: 'not_sent' }
  /** The request was written, and the connection ended, or the time was over, without a response. */
  | { readonly kind: 'unanswered' };

/**
 * One connection that speaks SMPP 3.4, over npm `smpp`. The library stops reading without a word after a PDU that it
 * cannot parse (its issue 204): here any error ends the connection, and every request gets an answer.
 */
export class SmppSession {
  readonly #session: LibrarySession;
  readonly #waiting = new Map<number, (answer: SmppAnswer) => void>();
  #sequence = 0;
  #isOver = false;

  constructor(
    private readonly socket: Socket,
    private readonly listener: SessionListener,
  ) {
    this.#session = new library.Session({ socket });
    this.#session.on('pdu', (pdu) => this.#take(pdu));
    this.#session.on('error', (error) => this.#end(error));
    this.#session.on('close', () => this.#end(null));
  }

  /** Requests that have no response yet. */
  get pending(): number {
    return this.#waiting.size;
  }

  /** Sends a request, and waits for its response. Never rejects. */
  request(command: string, fields: PduFields, timeoutMs: number): Promise<SmppAnswer> {
    if (this.#isOver || !this.socket.writable) return Promise.resolve({ kind: 'not_sent' });
    this.#sequence = (this.#sequence % 0x7fff_ffff) + 1;
    const sequence = this.#sequence;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#settle(sequence, { kind: 'unanswered' }), timeoutMs);
      this.#waiting.set(sequence, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      try {
        const pdu = new library.PDU(command, { ...fields, sequence_number: sequence });
        this.#gather();
        if (!this.#session.send(pdu)) this.#settle(sequence, { kind: 'not_sent' });
      } catch {
        // It could not be encoded, so nothing was written.
        this.#settle(sequence, { kind: 'not_sent' });
      }
    });
  }

  /** Answers a request of the other side. @param status a command status; 0: it was taken */
  respond(pdu: SmppPdu, status: number, fields: PduFields = {}): void {
    if (this.#isOver || !this.socket.writable) return;
    this.#gather();
    this.#session.send((pdu as LibraryPdu).response({ ...fields, command_status: status }));
  }

  /** What is sent within one turn of the event loop is one system call. */
  #gather(): void {
    const { socket } = this;
    if (socket.writableCorked > 0) return;
    socket.cork();
    process.nextTick(() => socket.uncork());
  }

  /** Ends the connection at once. */
  close(): void {
    this.socket.destroy();
  }

  #take(pdu: LibraryPdu): void {
    const isResponse = pdu.command.endsWith('_resp') || pdu.command === 'generic_nack';
    if (isResponse) this.#settle(pdu.sequence_number, { kind: 'response', pdu });
    else this.listener.request(pdu);
  }

  #settle(sequence: number, answer: SmppAnswer): void {
    const resolve = this.#waiting.get(sequence);
    this.#waiting.delete(sequence);
    resolve?.(answer);
  }

  #end(error: Error | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.socket.destroy();
    for (const sequence of [...this.#waiting.keys()]) this.#settle(sequence, { kind: 'unanswered' });
    this.listener.closed(error);
  }
}
