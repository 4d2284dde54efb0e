import type { HostPort } from '../../core/model/host-port.js';
import type { Seal } from './seal.js';

/** Whether the other side of a call reaches private addresses of engines. */
type Near = 'near' | '';

/** What a sealed text says. Members have no line breaks. */
interface Kinds {
  /** The address of an engine, which stands in its contact outside. */
  readonly contact: { readonly uri: string; readonly near: Near };
  /** Where a new call goes, and what the caller gets to see. */
  readonly call: {
    readonly uri: string;
    /** `Record-Route` of the edge, as the caller reaches it. */
    readonly route: string;
    /** The softphone that calls; empty for a trunk. */
    readonly aor: string;
    /** Where the caller sends from, if its contact is not reachable; otherwise empty. */
    readonly flow: string;
    readonly near: Near;
  };
  /** A subscription that the edge itself serves, from a softphone that has authenticated itself. */
  readonly subscription: {
    readonly aor: string;
    readonly target: string;
    readonly route: string;
    readonly flow: string;
  };
  /** The contact of the edge in such a subscription. */
  readonly subscribed: { readonly id: string };
  /** The way back of a response from an engine, or of the edge itself. */
  readonly inwards: {
    readonly host: string;
    readonly port: string;
    readonly route: string;
    readonly uri: string;
    readonly near: Near;
  };
  /** The way back of a response to an engine, with its own `Via` fields. */
  readonly outwards: {
    readonly host: string;
    readonly port: string;
    /** `call` for a new call, whose response opens a dialog; otherwise empty. */
    readonly opens: string;
    /** The softphone that is called; empty for a trunk. */
    readonly aor: string;
    /** The address of the trunk that is called; empty for a softphone. */
    readonly carrier: string;
    readonly near: Near;
    readonly via: string;
  };
  /** The address of a trunk, as an engine that may call it wrote it. */
  readonly carrier: { readonly uri: string };
  /** What an engine answers the challenge of a trunk, and the type of the INVITE's content. */
  readonly credentials: {
    readonly type: string;
    /** `Authorization` fields; empty without one. */
    readonly server: string;
    /** `Proxy-Authorization` fields; empty without one. */
    readonly proxy: string;
  };
  /** The way of later requests of an engine: the next hop, and who the other side is. */
  readonly route: {
    readonly host: string;
    readonly port: string;
    readonly aor: string;
    readonly flow: string;
    readonly near: Near;
  };
}

export type TokenKind = keyof Kinds;
export type Token<K extends TokenKind> = Kinds[K];

const MEMBERS = {
  contact: ['uri', 'near'],
  call: ['uri', 'route', 'aor', 'flow', 'near'],
  subscription: ['aor', 'target', 'route', 'flow'],
  subscribed: ['id'],
  inwards: ['host', 'port', 'route', 'uri', 'near'],
  outwards: ['host', 'port', 'opens', 'aor', 'carrier', 'near', 'via'],
  carrier: ['uri'],
  credentials: ['type', 'server', 'proxy'],
  route: ['host', 'port', 'aor', 'flow', 'near'],
} as const satisfies { readonly [K in TokenKind]: readonly (keyof Kinds[K])[] };

/** One letter for each kind: tokens are parts of addresses, which drachtio-server cuts off at 255 characters. */
const LETTERS = {
  contact: 'c',
  call: 'n',
  subscription: 's',
  subscribed: 'd',
  inwards: 'i',
  outwards: 'o',
  carrier: 't',
  credentials: 'p',
  route: 'r',
} as const satisfies Readonly<Record<TokenKind, string>>;

/** Seals and opens what the relay needs to know again. */
export class Tokens {
  constructor(private readonly seal: Seal) {}

  write<K extends TokenKind>(kind: K, token: Token<K>): string {
    const values = token as unknown as Readonly<Record<string, string>>;
    return this.seal.seal([LETTERS[kind], ...MEMBERS[kind].map((name) => values[name] ?? '')].join('\n'));
  }

  /** Null for a text that is none of this kind. */
  read<K extends TokenKind>(kind: K, text: string | null | undefined): Token<K> | null {
    const [letter, ...values] = text === null || text === undefined ? [] : (this.seal.open(text)?.split('\n') ?? []);
    const names: readonly string[] = MEMBERS[kind];
    if (letter !== LETTERS[kind] || values.length !== names.length) return null;
    return Object.fromEntries(names.map((name, at) => [name, values[at] ?? ''])) as unknown as Token<K>;
  }
}

export function nearIf(isNear: boolean): Near {
  return isNear ? 'near' : '';
}

export function hopOf({ host, port }: { readonly host: string; readonly port: string }): HostPort {
  return { host, port: Number(port) };
}
