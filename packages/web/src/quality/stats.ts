import type { Counters } from './sample.js';

/** A report of `RTCPeerConnection.getStats()`: its members depend on its type and on the browser. */
type Report = Readonly<Record<string, unknown>>;

/** Reads the counters of a connection. */
export async function readCounters(connection: RTCPeerConnection): Promise<Counters> {
  const reports = new Map<string, Report>();
  (await connection.getStats()).forEach((report: Report) => reports.set(String(report.id), report));
  const find = (type: string): Report | undefined =>
    [...reports.values()].find((report) => report.type === type && (report.kind ?? 'audio') === 'audio');
  const pair = pairIn(reports);
  const [out, incoming, source, remote] = [
    find('outbound-rtp'),
    find('inbound-rtp'),
    find('media-source'),
    find('remote-inbound-rtp'),
  ];
  const candidate = reports.get(String(pair?.localCandidateId));
  const codec = reports.get(String((incoming ?? out)?.codecId));
  return {
    atMs: performance.now(),
    packetsOut: number(out, 'packetsSent'),
    packetsIn: number(incoming, 'packetsReceived'),
    packetsLost: number(incoming, 'packetsLost'),
    bytesOut: number(out, 'bytesSent'),
    bytesIn: number(incoming, 'bytesReceived'),
    energyOut: number(source, 'totalAudioEnergy'),
    energyIn: number(incoming, 'totalAudioEnergy'),
    jitterSeconds: number(incoming, 'jitter'),
    roundTripSeconds: number(pair, 'currentRoundTripTime') ?? number(remote, 'roundTripTime'),
    levelOut: number(source, 'audioLevel'),
    levelIn: number(incoming, 'audioLevel'),
    codec: text(codec, 'mimeType')?.replace('audio/', '') ?? null,
    path: text(candidate, 'candidateType'),
  };
}

/** The pair of addresses that carries the audio. */
function pairIn(reports: ReadonlyMap<string, Report>): Report | undefined {
  const all = [...reports.values()];
  const transport = all.find((report) => report.type === 'transport');
  const selected = reports.get(String(transport?.selectedCandidatePairId));
  return selected ?? all.find((report) => report.type === 'candidate-pair' && report.nominated === true);
}

function number(report: Report | undefined, name: string): number | null {
  const value = report?.[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function text(report: Report | undefined, name: string): string | null {
  const value = report?.[name];
  return typeof value === 'string' ? value : null;
}
