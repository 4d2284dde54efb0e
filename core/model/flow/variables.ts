/** What the platform sets and a flow only reads. */
export const BUILT_IN_VARIABLES = [
  'call_id',
  'caller_number',
  'caller_number_masked',
  'line_number',
  'direction',
  'now',
  'choice',
  'dial_status',
  'http_status',
  'verify_status',
] as const;

const builtIn: ReadonlySet<string> = new Set(BUILT_IN_VARIABLES);

export function isBuiltIn(name: string): boolean {
  return builtIn.has(name);
}
