/** Before the ids of bridges in the names of their marks. */
export const MARK = 'hatif_bridge_';

/** The global variable of FreeSWITCH that stands for a bridge: a conference is there only while somebody is in it. */
export function bridgeMark(bridgeId: string): string {
  return MARK + bridgeId;
}
