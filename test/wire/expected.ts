/** What comes of each scenario, on either engine itself and from its transcript. */
export const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  'a call out is played to and ends': [
    ...['ringing', 'answered', 'play A started', 'play A completed', 'play B started', 'play B failed'],
    ...['play C started', 'play C stopped', 'ended 16'],
  ],
  'a callee is busy': ['ended 17 sip 486'],
  'a softphone is not registered': ['rejected'],
  'a call comes in': ['incoming 9200001 from +966501234567 by trunk', 'answered', 'ended 16'],
  'two legs are bridged, held and parted': ['2 together', '2 apart', '0 bridges', 'ringing', 'answered', 'ended 16'],
  'a leg hears its echo and presses keys': ['ringing', 'answered', 'dtmf 1', 'dtmf #', 'dtmf 2', 'ended 16'],
  'a leg is recorded': ['1 runs', 'ringing', 'answered', 'ended 16'],
  'a leg listens to another and whispers': ['in the bridge: true,false', 'ringing', 'answered', 'ended 16'],
  'a softphone registers': ['online: agent-1', 'agent-1 true', 'agent-1 false'],
};
