/** The result of each scenario, on both engines and from their transcripts. */
export const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  'an outbound call is played to and ends': [
    ...['ringing', 'answered', 'play A started', 'play A completed', 'play B started', 'play B failed'],
    ...['play C started', 'play C stopped', 'ended 16'],
  ],
  'a callee is busy': ['ended 17 sip 486'],
  'a softphone is not registered': ['rejected'],
  'an inbound call is answered and ends': ['incoming 9200001 from +966501234567 by trunk', 'answered', 'ended 16'],
  'two legs are bridged, held and separated': ['2 together', '2 apart', '0 bridges', 'ringing', 'answered', 'ended 16'],
  'a leg is echoed and sends DTMF': ['ringing', 'answered', 'dtmf 1', 'dtmf #', 'dtmf 2', 'ended 16'],
  'a leg is recorded': ['1 runs', 'ringing', 'answered', 'ended 16'],
  'a leg monitors another and whispers': ['in the bridge: true,false', 'ringing', 'answered', 'ended 16'],
  'a softphone registers': ['online: agent-1', 'agent-1 true', 'agent-1 false'],
};
