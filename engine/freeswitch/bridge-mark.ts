/** The prefix of the global variables that mark bridges. */
export const MARK = 'hatif_bridge_';

/** The global variable that marks a bridge as existing: a conference itself exists only while it has members. */
export function bridgeMark(bridgeId: string): string {
  return MARK + bridgeId;
}
