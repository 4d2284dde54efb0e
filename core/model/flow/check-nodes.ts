import { isExtension } from '../call/destinations.js';
import { parseNumber } from '../phone-numbers.js';
import { parseSipUri } from '../sip-uri.js';
import type { FlowNode, FlowNodeOf } from './definition.js';
import type { FaultCode, FlowFault } from './faults.js';
import { GATHER_DEFAULTS } from './nodes/input.js';
import { promptsOf } from './parts.js';
import { hasPlaces, isTemplate } from './template.js';
import { parsePath } from './value-path.js';
import { isBuiltIn } from './variables.js';

type Report = (code: FaultCode, field: string, about?: string) => void;

/** The caller's own number. */
const CALLER = /^\s*\{\{\s*caller_number\s*\}\}\s*$/;

/** Headers that say what the request is; a flow's own stand beside them. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'webhook-id',
  'webhook-signature',
  'webhook-timestamp',
]);

/** What is wrong with a node whatever else is in the graph. */
export function faultsOfNode(id: string, node: FlowNode): FlowFault[] {
  const faults: FlowFault[] = [];
  const report: Report = (code, field, about = '') => faults.push({ code, node: id, field, about });
  for (const [field, text] of templatesOf(node)) if (!isTemplate(text)) report('bad_template', field);
  check(node, report);
  return faults;
}

function check(node: FlowNode, report: Report): void {
  switch (node.type) {
    case 'menu':
    case 'auth_menu':
      if (Object.keys(node.choices).length === 0) report('no_choices', 'choices');
      return;
    case 'gather':
      checkGather(node, report);
      return;
    case 'branch':
      checkBranch(node, report);
      return;
    case 'set':
      checkNames(Object.keys(node.values), 'values', report);
      return;
    case 'goto':
      if (node.next !== undefined && node.callflow_id !== undefined) report('both_links', '');
      return;
    case 'http':
      checkHttp(node, report);
      return;
    case 'verify':
      if (node.channel === 'voice' && (node.to === undefined || CALLER.test(node.to))) report('own_line', 'channel');
      return;
    case 'dial':
    case 'transfer':
      if (!isTarget(node.to)) report('bad_target', 'to.target', node.to.target ?? node.to.type);
      return;
    default:
  }
}

function checkGather({ variable, min_digits, max_digits }: FlowNodeOf<'gather'>, report: Report): void {
  checkNames([variable], 'variable', report);
  const min = min_digits ?? GATHER_DEFAULTS.min_digits;
  const max = max_digits ?? GATHER_DEFAULTS.max_digits;
  if (min > max) report('bad_limits', 'min_digits', `min_digits ${min}, max_digits ${max}`);
}

function checkBranch({ cases }: FlowNodeOf<'branch'>, report: Report): void {
  cases.forEach(({ operator, value }, index) => {
    const isLone = operator === 'is_set' || operator === 'is_empty';
    const fits = isLone ? value === undefined : operator === 'in' ? Array.isArray(value) : isOne(value);
    if (!fits) report('bad_value', `cases[${index}].value`, operator);
  });
}

function isOne(value: unknown): boolean {
  return value !== undefined && !Array.isArray(value);
}

function checkHttp({ url, headers, response }: FlowNodeOf<'http'>, report: Report): void {
  if (!isAddress(url)) report('bad_url', 'url');
  for (const name of Object.keys(headers ?? {})) {
    if (OWN_HEADERS.has(name.toLowerCase())) report('bad_header', 'headers', name);
  }
  checkNames(Object.keys(response ?? {}), 'response', report);
  for (const [name, path] of Object.entries(response ?? {})) {
    if (parsePath(path) === null) report('bad_path', `response.${name}`, path);
  }
}

function checkNames(names: readonly string[], field: string, report: Report): void {
  for (const name of names) if (isBuiltIn(name)) report('reserved_name', field, name);
}

/** The host is the author's, never a value's: what the guard lets through is known before. */
function isAddress(url: string): boolean {
  const [, origin] = /^(https?:\/\/[^/?#]+)/i.exec(url) ?? [];
  if (origin === undefined || /[{}@]/.test(origin) || !URL.canParse(url)) return false;
  // Plain http is for trying things out on this machine; where that is not allowed the request fails.
  return /^https:/i.test(origin) || /^http:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i.test(origin);
}

function isTarget({ type, target }: FlowNodeOf<'transfer'>['to']): boolean {
  if (target == null) return type === 'voicemail';
  if (hasPlaces(target)) return type === 'number' || type === 'agent';
  switch (type) {
    case 'number':
    case 'voicemail': {
      const number = parseNumber(target, { allowForeign: true });
      return number !== null && number.kind !== 'emergency';
    }
    case 'agent':
      return isExtension(target);
    case 'sip':
      return parseSipUri(target) !== null;
    default:
      return true;
  }
}

/** Every text of the node that may hold values. */
function templatesOf(node: FlowNode): [field: string, text: string][] {
  const texts: [string, unknown][] = [];
  switch (node.type) {
    case 'say':
      texts.push(['text', node.text]);
      break;
    case 'menu':
    case 'auth_menu':
    case 'gather':
      for (const field of ['prompt', 'no_input_prompt', 'invalid_prompt'] as const)
        texts.push(...spoken(field, node[field]));
      break;
    case 'verify':
      texts.push(['to', node.to], ...spoken('prompt', node.prompt));
      break;
    case 'set':
      texts.push(...under('values', node.values));
      break;
    case 'http':
      texts.push(['url', node.url], ...under('headers', node.headers), ...under('body', node.body));
      break;
    case 'conference':
      texts.push(['name', node.name]);
      break;
    case 'dial':
    case 'transfer':
      texts.push(['to.target', node.to.target]);
      break;
    default:
  }
  return texts.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}

function spoken(field: string, given: Parameters<typeof promptsOf>[0]): [string, unknown][] {
  return promptsOf(given).map((prompt) => [field, 'text' in prompt ? prompt.text : null]);
}

function under(field: string, members: Readonly<Record<string, unknown>> | undefined): [string, unknown][] {
  return Object.entries(members ?? {}).map(([name, value]) => [`${field}.${name}`, value]);
}
