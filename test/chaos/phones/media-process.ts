import { createSocket, type Socket } from 'node:dgram';
import type { MediaReply, MediaRequest, Segment } from './media.js';

const RATE = 8_000;
const FRAME = 160;
const FRAME_MS = 20;
const PCMA = 8;
/** Packets with a larger interval belong to two segments: slightly more than the jitter of a busy machine. */
const MAX_PACKET_GAP_MS = 120;
/** From this delay on, the sender itself counts as late. */
const LATE_MS = 250;
/** Mean square of a sample (full scale 1) below which it is silence: -45 dBFS. */
const SILENCE = 10 ** -4.5;
const LEVEL = 0.25;

interface Stream {
  readonly socket: Socket;
  readonly frame: Buffer;
  readonly expectHz: number;
  readonly segments: Segment[];
  to: { readonly host: string; readonly port: number } | null;
  sequence: number;
  heard: boolean;
}

const streams = new Map<number, Stream>();
const LINEAR = Float64Array.from({ length: 256 }, (_, code) => linearOf(code));

/** Decodes a sample of ITU-T G.711 A-law to full scale 1. */
function linearOf(code: number): number {
  const flipped = code ^ 0x55;
  const exponent = (flipped & 0x70) >> 4;
  const mantissa = ((flipped & 0x0f) << 4) + 8;
  const size = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1);
  return ((flipped & 0x80) === 0 ? -size : size) / 32_768;
}

function codeOf(sample: number): number {
  let best = 0;
  LINEAR.forEach((value, code) => {
    if (Math.abs(value - sample) < Math.abs((LINEAR[best] ?? 0) - sample)) best = code;
  });
  return best;
}

/** A packet of a tone. It contains a whole number of periods, so all packets are equal. */
function toneFrame(hz: number): Buffer {
  return Buffer.from(Array.from({ length: FRAME }, (_, i) => codeOf(LEVEL * Math.sin((2 * Math.PI * hz * i) / RATE))));
}

function kindOf(payload: Buffer, expectHz: number): Segment['kind'] {
  const coefficient = 2 * Math.cos((2 * Math.PI * expectHz) / RATE);
  let [energy, s1, s2] = [0, 0, 0];
  for (const code of payload) {
    const sample = LINEAR[code] ?? 0;
    energy += sample * sample;
    [s1, s2] = [sample + coefficient * s1 - s2, s1];
  }
  if (energy / payload.length < SILENCE) return 'silence';
  const magnitude = s1 * s1 + s2 * s2 - coefficient * s1 * s2;
  return (2 * magnitude) / (payload.length * energy) > 0.8 ? 'tone' : 'sound';
}

function receive(id: number, stream: Stream, packet: Buffer): void {
  if (packet.length <= 12 || ((packet[1] ?? 0) & 0x7f) !== PCMA) return;
  const now = Date.now();
  const kind = kindOf(packet.subarray(12 + 4 * ((packet[0] ?? 0) & 0x0f)), stream.expectHz);
  const last = stream.segments.at(-1);
  if (last?.kind === kind && now - last.to < MAX_PACKET_GAP_MS) last.to = now;
  else stream.segments.push({ from: now, to: now, kind });
  if (kind !== 'tone' || stream.heard) return;
  stream.heard = true;
  report({ op: 'heard', id, at: now });
}

function send(stream: Stream): void {
  if (!stream.to) return;
  const packet = Buffer.alloc(12 + FRAME);
  packet[0] = 0x80;
  packet[1] = PCMA;
  packet.writeUInt16BE(stream.sequence & 0xffff, 2);
  packet.writeUInt32BE((stream.sequence * FRAME) >>> 0, 4);
  packet.writeUInt32BE(stream.socket.address().port, 8);
  stream.frame.copy(packet, 12);
  stream.sequence += 1;
  stream.socket.send(packet, stream.to.port, stream.to.host);
}

function open(id: number, sendHz: number, expectHz: number): void {
  const socket = createSocket('udp4');
  const stream: Stream = {
    socket,
    frame: toneFrame(sendHz),
    expectHz,
    segments: [],
    to: null,
    sequence: 1,
    heard: false,
  };
  streams.set(id, stream);
  socket.on('message', (packet) => receive(id, stream, packet));
  // The engine closes its port slightly before this side does.
  socket.on('error', () => undefined);
  socket.bind(0, '127.0.0.1', () => report({ op: 'opened', id, port: socket.address().port }));
}

function report(reply: MediaReply): void {
  process.send?.(reply);
}

process.on('message', (request: MediaRequest) => {
  const stream = streams.get(request.id);
  if (request.op === 'open') {
    open(request.id, request.sendHz, request.expectHz);
  } else if (request.op === 'connect') {
    if (stream) stream.to = { host: request.host, port: request.port };
  } else if (stream) {
    streams.delete(request.id);
    stream.socket.close();
    report({ op: 'closed', id: request.id, segments: stream.segments });
  }
});
process.once('disconnect', () => process.exit(0));

let due = performance.now();
let last = Date.now();
setInterval(() => {
  const now = Date.now();
  if (now - last > LATE_MS) report({ op: 'late', at: now, ms: now - last });
  last = now;
  // After a delay, all due packets are sent at once, as by a phone behind a network that stalled.
  for (; due <= performance.now(); due += FRAME_MS) for (const voice of streams.values()) send(voice);
}, FRAME_MS / 2);

process.send?.('ready');
