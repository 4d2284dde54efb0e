import { setupUrl, type Bootstrap } from './bootstrap.js';
import { namesOf, type Parts } from './parts.js';
import { bootstrapFile } from './places.js';
import type { Running } from './running.js';
import { commandsFor } from '../../core/model/commands.js';
import type { Settings } from '../../config/settings.js';
import { servesSipTls } from '../../config/tls.js';
import { tlsServer } from './phone-server.js';

/** Prints progress, one line per step; on a terminal, a step with a fraction rewrites its line. */
export function progressTo(stream: NodeJS.WriteStream): (text: string, fraction?: number) => void {
  let last = '';
  return (text, fraction) => {
    const line = fraction === undefined ? text : `${text} ${bar(fraction)} ${Math.round(fraction * 100)} %`;
    if (line === last) return;
    last = line;
    if (stream.isTTY && fraction !== undefined && fraction < 1) stream.write(`\r\x1b[2K  ${line}`);
    else if (fraction === undefined || fraction >= 1) stream.write(`${stream.isTTY ? '\r\x1b[2K' : ''}  ${line}\n`);
  };
}

const BAR_LENGTH = 24;

function bar(fraction: number): string {
  const done = Math.round(Math.min(1, Math.max(0, fraction)) * BAR_LENGTH);
  return `[${'#'.repeat(done)}${'-'.repeat(BAR_LENGTH - done)}]`;
}

/** The start screen: what runs, and what to try. */
export function readyScreen(
  bootstrap: Bootstrap | null,
  parts: Parts,
  settings: Settings,
  url: string | null,
  logFile: string | null,
  adoptedCalls: number,
  setup: string | null,
): string {
  const embedded = namesOf(parts.embedded);
  const lines = ['', `Hatif is ready${url === null ? '' : `: ${url}`}`, ''];
  const row = (name: string, value: string): void => {
    lines.push(`  ${name.padEnd(12)}${value}`);
  };
  if (embedded.length > 0) row('embedded', embedded.join(', '));
  // Also after a start that found none: somebody may look for a call that was live.
  if (adoptedCalls > 0 || parts.embedded.asterisk?.adopted === true)
    row('taken over', adoptedCalls === 1 ? '1 live call' : `${adoptedCalls} live calls`);
  row('SIP', sipAddresses(parts, settings));
  // Only a browser on the same machine, or in the same container, sees the rest.
  const shown = settings.HATIF_COMMAND_PREFIX === undefined ? 'health, phones, numbers, the next command' : 'health';
  if (url !== null) row('page', `${url}/ (${shown})`);
  if (url !== null) row('docs', `${url}/docs`);
  if (url !== null && bootstrap) row('widget', `${url}/widget/demo`);
  if (logFile !== null) row('log', logFile);
  if (settings.WEBHOOK_ALLOW_LOOPBACK === true)
    row('webhooks', 'may go to http://127.0.0.1 (WEBHOOK_ALLOW_LOOPBACK is on, for trials)');
  if (settings.TRANSCRIPTION_URL === undefined && settings.TRANSCRIPTION_EMBEDDED === true)
    row(
      'transcripts',
      'by pocketsphinx on this machine: English only, often wrong (set TRANSCRIPTION_URL for a better service)',
    );
  if (bootstrap) lines.push(...tryThis(bootstrap, settings));
  if (setup !== null) lines.push(...firstAdministrator(setup, url, settings));
  return `${lines.join('\n')}\n`;
}

function sipAddresses(parts: Parts, settings: Settings): string {
  const plain = `${parts.sip.host}:${parts.sip.port} (udp, tcp)`;
  if (!servesSipTls(settings)) return plain;
  const { host, port } = tlsServer(settings, parts);
  return `${plain}, ${host}:${port} (tls)`;
}

/** What follows the start screen while another process has the data folder. */
export function besideOther({ process: { pid }, address }: Running): string {
  return (
    `  Process ${pid} (${address}) runs with the same data folder. Until it ends, hatif.pid and ` +
    'bootstrap.json in the folder name that process.\n'
  );
}

/** How to make the first administrator, with the command or over HTTP. */
function firstAdministrator(code: string, url: string | null, { HATIF_COMMAND_PREFIX: prefix }: Settings): string[] {
  const { hatif } = commandsFor(prefix);
  return [
    '  This installation has no administrator yet. Make the first one:',
    `    ${hatif("admin create --email you@example.com --name 'Your Name'")}`,
    ...(url === null ? [] : [`  Or over HTTP, by POST ${setupUrl(url)} with the set-up code ${code}`]),
    '',
  ];
}

function tryThis({ sip, line_number, base_url }: Bootstrap, settings: Settings): string[] {
  const [first] = sip.agents;
  if (!first) return [];
  const file = bootstrapFile(settings);
  const { HATIF_COMMAND_PREFIX: prefix } = settings;
  const { hatif, beside } = commandsFor(prefix);
  const where = prefix === undefined ? 'are in the file below' : 'are printed by the command below';
  return [
    '',
    `  Register a softphone (passwords and API keys ${where}):`,
    ...sip.agents.map(
      ({ agent, number }) =>
        `    user ${agent}   server ${sip.host}:${sip.port}${sip.transport === 'tls' ? ' (tls)' : ''}   number ${number}`,
    ),
    `    ${prefix === undefined ? file : beside(`cat ${file}`)}`,
    '',
    '  Call it with the API:',
    `    curl -X POST ${base_url}/v1/calls -H "Authorization: Bearer $(${beside('node')} -p "require('${file}').live_key")" \\`,
    `      -H 'Content-Type: application/json' \\`,
    `      -d '{"to":"${first.number}","play":{"text":"Hello from Hatif","language":"en"}}'`,
    '',
    `  Or call ${line_number} from the softphone: the echo service answers (also at *43) until you bind the number to something else.`,
    `  Watch events:        ${hatif('listen')}`,
    // A container may run in the background.
    ...(prefix === undefined ? ['  Stop:                Ctrl-C'] : []),
    '',
  ];
}
