import { z } from 'zod';

/** An account at an SMSC, from `smpp://system_id:password@host:port?window=10&system_type=…`; `smpps` uses TLS. */
export interface SmppAccountSetting {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly systemId: string;
  readonly password: string;
  readonly systemType: string;
  readonly window: number;
}

const FORM = 'must be addresses such as smpp://system_id:password@host:2775?window=10';
const PORT = 2775;
const TLS_PORT = 3550;
const WINDOW = 10;

/** Lengths are those of SMPP 3.4 §4.1.1. */
export const smppAccount = z.string().transform((given, ctx): SmppAccountSetting => {
  const account = read(given);
  if (account) return account;
  ctx.addIssue({ code: 'custom', message: FORM });
  return z.NEVER;
});

function read(given: string): SmppAccountSetting | null {
  if (!URL.canParse(given)) return null;
  const { protocol, hostname, port, username, password, searchParams, pathname } = new URL(given);
  const tls = protocol === 'smpps:';
  const window = Number(searchParams.get('window') ?? WINDOW);
  const systemType = searchParams.get('system_type') ?? '';
  const known = [...searchParams.keys()].every((name) => name === 'window' || name === 'system_type');
  const account = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (tls ? TLS_PORT : PORT) : Number(port),
    ...{ tls, window, systemType },
    systemId: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
  const isGood =
    (tls || protocol === 'smpp:') &&
    known &&
    pathname.replace('/', '') === '' &&
    account.host !== '' &&
    /^[\x21-\x7e]{1,15}$/.test(account.systemId) &&
    /^[\x21-\x7e]{0,8}$/.test(account.password) &&
    /^[\x20-\x7e]{0,12}$/.test(systemType) &&
    Number.isInteger(window) &&
    window >= 1 &&
    window <= 1000;
  return isGood ? account : null;
}
