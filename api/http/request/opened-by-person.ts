import type { Request } from 'express';

/** Programs that open the addresses in messages for a preview, or to check them. */
const PROGRAMS =
  /bot\b|crawl|spider|preview|scan|fetch|monitor|check|whatsapp|telegram|facebookexternalhit|slack|skype|discord|viber|headless|curl|wget|python|java\/|go-http|axios|okhttp|libwww|^$/i;

/**
 * Whether it looks as if a person's browser opened the address: no preview, prefetch or check. Programs can pretend to be
 * a browser, so this is good for statistics only.
 */
export function isOpenedByPerson(req: Request): boolean {
  const purpose = `${req.get('sec-purpose') ?? ''} ${req.get('purpose') ?? ''} ${req.get('x-moz') ?? ''}`;
  if (req.method !== 'GET' || /prefetch|preview|prerender/i.test(purpose)) return false;
  const agent = req.get('user-agent') ?? '';
  return agent.startsWith('Mozilla/') && !PROGRAMS.test(agent);
}
