import { settingProblem } from './settings-error.js';
import type { Settings } from './settings.js';

/** Whether the certificate of the ACME authority is for HTTPS or SIP. */
export function usesAcme({ ACME_DOMAINS, ACME_FOR }: Settings, what: Settings['ACME_FOR'][number]): boolean {
  return ACME_DOMAINS.length > 0 && ACME_FOR.includes(what);
}

/** Whether `PORT` serves HTTPS. */
export function servesHttps(settings: Settings): boolean {
  return settings.HTTP_TLS_CERT !== undefined || usesAcme(settings, 'https');
}

/** Whether engines take SIP over TLS. */
export function servesSipTls(settings: Settings): boolean {
  return settings.SIP_TLS_CERT !== undefined || usesAcme(settings, 'sip');
}

/** What the settings of TLS and certificates say against each other. */
export function contradictionsOfTls(settings: Settings): string[] {
  return [...contradictionsOfHttps(settings), ...contradictionsOfAcme(settings), ...contradictionsOfSip(settings)];
}

function contradictionsOfHttps(settings: Settings): string[] {
  if (!servesHttps(settings)) return [];
  const source = settings.HTTP_TLS_CERT === undefined ? 'ACME_DOMAINS' : 'HTTP_TLS_CERT';
  const { PUBLIC_URL, ACME_DOMAINS } = settings;
  if (PUBLIC_URL?.startsWith('https:') !== true) {
    const allowed = `must begin with https:// and have a host of the certificate, because ${source} is set`;
    return [settingProblem('PUBLIC_URL', allowed, PUBLIC_URL ?? '')];
  }
  const isNamed = source === 'HTTP_TLS_CERT' || ACME_DOMAINS.includes(new URL(PUBLIC_URL).hostname);
  return isNamed ? [] : [settingProblem('PUBLIC_URL', 'must have a host of ACME_DOMAINS', PUBLIC_URL)];
}

function contradictionsOfAcme(settings: Settings): string[] {
  if (settings.ACME_DOMAINS.length === 0) return [];
  const problems = (
    [
      ['https', 'HTTP_TLS_CERT'],
      ['sip', 'SIP_TLS_CERT'],
    ] as const
  )
    .filter(([what, file]) => usesAcme(settings, what) && settings[file] !== undefined)
    .map(([what, file]) => `${file}: must be unset, because ACME_FOR has ${what}`);
  if (!settings.ACME_TERMS_AGREED) {
    problems.push(
      'ACME_TERMS_AGREED: must be true with ACME_DOMAINS: the authority asks for your agreement to its terms',
    );
  }
  if (servesHttps(settings) && settings.ACME_HTTP_PORT === undefined) {
    problems.push('ACME_HTTP_PORT: is needed with ACME_DOMAINS (usually 80), because PORT serves HTTPS');
  }
  return problems;
}

function contradictionsOfSip(settings: Settings): string[] {
  const problems: string[] = [];
  const { SIP_PHONE_TRANSPORT: transport, SIP_PHONE_SRTP: phones, SIP_TRUNK_SRTP: trunks } = settings;
  const source = 'without SIP_TLS_CERT, or ACME_DOMAINS with sip in ACME_FOR';
  if (transport === 'tls' && !servesSipTls(settings)) {
    problems.push(settingProblem('SIP_PHONE_TRANSPORT', `must be any ${source}`, transport));
  }
  if (phones !== 'off' && transport !== 'tls') {
    const allowed = 'must be off without SIP_PHONE_TRANSPORT=tls, because the keys are in the signalling';
    problems.push(settingProblem('SIP_PHONE_SRTP', allowed, phones));
  }
  if (trunks !== 'off' && !servesSipTls(settings)) {
    problems.push(settingProblem('SIP_TRUNK_SRTP', `must be off ${source}`, trunks));
  }
  return problems;
}
