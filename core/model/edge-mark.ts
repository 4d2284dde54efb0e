/**
 * The header with which the SIP edge tells an engine who calls. Its value can only be made with the installation's
 * secret, so an engine trusts it regardless of the address that a request comes from.
 */
export const EDGE_HEADER = 'X-Hatif-Edge';

/** Who calls through the SIP edge: a softphone by its AOR, or a trunk by its id. */
export interface EdgeCaller {
  readonly type: 'softphone' | 'trunk';
  readonly id: string;
}

/** @param mac keyed hash of the installation's secret, for the purpose `edge` */
export function edgeMark({ type, id }: EdgeCaller, mac: (text: string) => string): string {
  return `${type}/${id}/${mac(`${type}/${id}`)}`;
}

/** Who a mark names. Whether the mark is genuine is decided by comparing it with the one that this caller has. */
export function namedBy(mark: string): EdgeCaller | null {
  const [, type, id] = /^(softphone|trunk)\/([0-9A-Za-z._-]{1,64})\/[\w-]+$/.exec(mark) ?? [];
  return type === undefined || id === undefined ? null : { type: type as EdgeCaller['type'], id };
}
