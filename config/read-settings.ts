import { itemsOf } from './setting-values.js';
import { SETTING_NAMES, SETTINGS_SCHEMA, type Settings } from './settings.js';
import { settingProblem, SettingsError } from './settings-error.js';
import { contradictionsOfTls, servesSipTls } from './tls.js';

/**
 * Reads the settings. Empty variables count as unset. Unknown variables are ignored, except `HATIF_*`, which must be
 * typos.
 * @throws SettingsError naming each variable
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const given = Object.fromEntries(
    SETTING_NAMES.map((name) => [name, environment[name]] as const).filter(
      ([, value]) => value !== undefined && value !== '',
    ),
  );
  const problems = Object.keys(environment)
    .filter((name) => name.startsWith('HATIF_') && !name.startsWith('HATIF_TEST_') && !(name in SETTINGS_SCHEMA.shape))
    .map((name) => `${name}: is not a setting; .env.example lists all`);
  const parsed = SETTINGS_SCHEMA.safeParse(given);
  if (!parsed.success) {
    problems.push(
      ...parsed.error.issues.map(({ path: [name, index], message }) => {
        const value = given[String(name)] ?? '';
        return settingProblem(String(name), message, typeof index === 'number' ? itemsOf(value)[index] : value);
      }),
    );
  } else {
    problems.push(...contradictions(parsed.data));
  }
  if (problems.length > 0 || !parsed.success) throw new SettingsError(problems);
  return Object.freeze(parsed.data);
}

/** Whether strangers may sign up. */
export function isSignupOpen({ SIGNUP, SMTP_URL, HOST, PUBLIC_URL }: Settings): boolean {
  if (SIGNUP !== undefined) return SIGNUP === 'open';
  return (
    SMTP_URL !== undefined && LOOPBACK.test(HOST) && (PUBLIC_URL === undefined || LOOPBACK.test(hostOf(PUBLIC_URL)))
  );
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/;

function hostOf(url: string): string {
  return new URL(url).hostname;
}

/** Settings of which none has a meaning without the other. */
const PAIRS = [
  ['HTTP_TLS_CERT', 'HTTP_TLS_KEY'],
  ['SIP_TLS_CERT', 'SIP_TLS_KEY'],
  ['ACME_EAB_KEY_ID', 'ACME_EAB_HMAC_KEY'],
  ['SIP_TRUNK_USERNAME', 'SIP_TRUNK_PASSWORD'],
  ['NUMBER_PROVIDER_URL', 'NUMBER_PROVIDER_SECRET'],
  ['PAYMENT_IBAN', 'PAYMENT_ACCOUNT_NAME'],
  ['PAYMENT_GATEWAY_URL', 'PAYMENT_GATEWAY_SECRET'],
  ['NATIONAL_ID_URL', 'NATIONAL_ID_SECRET'],
] as const;

function contradictions(settings: Settings): string[] {
  const problems = PAIRS.filter(
    ([one, other]) => (settings[one] === undefined) !== (settings[other] === undefined),
  ).map(([one, other]) => `${one} and ${other}: set both or neither`);
  if (settings.ASTERISK_ARI_URL && !settings.ASTERISK_ARI_PASSWORD) {
    problems.push('ASTERISK_ARI_PASSWORD: is needed with ASTERISK_ARI_URL');
  }
  if (!settings.ASTERISK_ENABLED && settings.ASTERISK_ARI_URL) {
    problems.push('ASTERISK_ARI_URL: must be unset with ASTERISK_ENABLED=false');
  }
  if (settings.SIP_EDGE === 'drachtio') {
    const { SIP_EDGE_ADDRESS: address, DRACHTIO_SECRET: secret, HATIF_ROLES: roles } = settings;
    if (address === undefined) problems.push('SIP_EDGE_ADDRESS: is needed with SIP_EDGE=drachtio');
    if (secret === undefined && roles.includes('sip')) {
      problems.push('DRACHTIO_SECRET: is needed with SIP_EDGE=drachtio in a process of the role sip');
    }
    if (settings.SIP_WSS_PORT !== undefined && !servesSipTls(settings)) {
      problems.push('SIP_WSS_PORT: must be unset without SIP_TLS_CERT, or ACME_DOMAINS with sip in ACME_FOR');
    }
    if (settings.SIP_TLS_MIN_VERSION !== '1.2') {
      problems.push('SIP_TLS_MIN_VERSION: must be 1.2 with SIP_EDGE=drachtio, which also takes 1.3');
    }
  } else {
    for (const name of ['SIP_WSS_PORT', 'SIP_EDGE_WS'] as const) {
      if (settings[name] !== undefined) problems.push(`${name}: must be unset without SIP_EDGE=drachtio`);
    }
  }
  const { RTP_PORT_FROM: rtpFrom, RTP_PORT_TO: rtpTo } = settings;
  if (rtpFrom >= rtpTo) {
    problems.push(settingProblem('RTP_PORT_TO', `must be above RTP_PORT_FROM (${rtpFrom})`, String(rtpTo)));
  }
  const { SIP_SESSION_MIN_SECONDS: shortest, SIP_SESSION_EXPIRES_SECONDS: usual } = settings;
  if (shortest > usual) {
    const allowed = `must not be above SIP_SESSION_EXPIRES_SECONDS (${usual})`;
    problems.push(settingProblem('SIP_SESSION_MIN_SECONDS', allowed, String(shortest)));
  }
  problems.push(...contradictionsOfTls(settings));
  if (settings.SIGNUP === 'open' && settings.SMTP_URL === undefined) {
    problems.push('SMTP_URL: is needed with SIGNUP=open, for the mails that confirm addresses');
  }
  if (settings.TURN_SECRET === undefined && settings.TURN_SERVERS.some(({ url }) => url.startsWith('turn'))) {
    problems.push('TURN_SECRET: is needed with TURN servers in TURN_SERVERS');
  }
  if (settings.SMTP_URL !== undefined && settings.MAIL_FROM === undefined) {
    problems.push('MAIL_FROM: is needed with SMTP_URL');
  }
  if (settings.CREDIT_NOTE_NUMBER_PREFIX === settings.INVOICE_NUMBER_PREFIX) {
    const allowed = 'must differ from INVOICE_NUMBER_PREFIX';
    problems.push(settingProblem('CREDIT_NOTE_NUMBER_PREFIX', allowed, settings.CREDIT_NOTE_NUMBER_PREFIX));
  }
  problems.push(...contradictionsOfS3(settings));
  return problems;
}

/** The bucket's settings are required together: older recordings may be in it, whatever the storage of new ones is. */
function contradictionsOfS3(settings: Settings): string[] {
  const needed = ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;
  const given = needed.filter((name) => settings[name] !== undefined);
  const why = settings.RECORDING_STORAGE === 's3' ? 'RECORDING_STORAGE=s3' : given[0];
  if (why === undefined) return [];
  return needed.filter((name) => !given.includes(name)).map((name) => `${name}: is needed with ${why}`);
}
