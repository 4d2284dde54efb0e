import os from 'node:os';
import path from 'node:path';
import { existsSync } from 'node:fs';
import { writeTone } from '../judges/audio.js';

export interface BaresipOptions {
  /** User part of its address, and user name for digest authentication. */
  readonly user: string;
  /** Where it registers; without it, the phone is reached directly at its port, like a trunk's remote side. */
  readonly registrar?: { readonly host: string; readonly port: number; readonly password: string };
  readonly displayName?: string;
  /** Over TLS it trusts the authorities of {@link trusts} only. */
  readonly transport?: 'udp' | 'tcp' | 'tls';
  /** A PEM file of authorities. */
  readonly trusts?: string;
  /** The PEM file of its own certificate, with the key: it takes calls over TLS at the port above {@link sipPort}. */
  readonly certificate?: string;
  /** Encryption of its audio (SDES); none by default. */
  readonly srtp?: 'offered' | 'required';
  /** Its own SIP port; a free one by default. */
  readonly sipPort?: number;
  /** The audio that it sends in each call: a tone (440 Hz by default), or a wav (8 kHz mono 16-bit) from its start. */
  readonly source?: { readonly toneHz: number } | { readonly wav: string };
  /** `manual` (default): rings until {@link Baresip.answer}. */
  readonly answer?: 'manual' | 'auto';
  /** Codecs in order; A-law, then µ-law by default. */
  readonly codecs?: readonly ('PCMA' | 'PCMU')[];
  readonly registerSeconds?: number;
  /** Logs every SIP message. */
  readonly trace?: boolean;
}

/** A tone that lasts longer than any test's call; written once for all phones of the machine. */
const TONE_SECONDS = 180;

export function sourceFile(source: BaresipOptions['source'] = { toneHz: 440 }): string {
  if ('wav' in source) return source.wav;
  const user = os.userInfo().uid;
  const file = path.join(os.tmpdir(), `hatif-tones-${user}`, `${source.toneHz}-${TONE_SECONDS}.wav`);
  return existsSync(file) ? file : writeTone(file, { hz: source.toneHz, seconds: TONE_SECONDS });
}

export interface BaresipPlace {
  readonly folder: string;
  readonly modules: string;
  readonly sipPort: number;
  readonly controlPort: number;
}

/** Uses the loopback only. Ringing tones are off, because they would be recorded as received audio. */
export function configFile(options: BaresipOptions, place: BaresipPlace): string {
  return [
    `sip_listen 127.0.0.1:${place.sipPort}`,
    'net_interface 127.0.0.1',
    'call_local_timeout 120',
    'call_max_calls 16',
    `audio_source aufile,${sourceFile(options.source)}`,
    // Plays nothing: incoming audio is recorded as decoded, and version 1.1's file player crashes at re-INVITEs.
    'audio_player aubridge,nowhere',
    'audio_channels 1-1',
    'audio_buffer 20-160',
    'audio_path /nonexistent',
    'rtp_ports 24000-29999',
    'rtp_timeout 0',
    'jitter_buffer_type fixed',
    'jitter_buffer_delay 1-5',
    'ringback_disable yes',
    'statmode_default off',
    `module_path ${place.modules}`,
    ...(options.trusts === undefined ? [] : [`sip_cafile ${options.trusts}`, 'sip_verify_server yes']),
    ...(options.certificate === undefined ? [] : [`sip_certificate ${options.certificate}`]),
    'module g711.so',
    'module aufile.so',
    'module aubridge.so',
    'module sndfile.so',
    ...(options.srtp === undefined ? [] : ['module srtp.so']),
    `snd_path ${place.folder}`,
    'module_tmp account.so',
    'module_app menu.so',
    'module_app ctrl_tcp.so',
    `ctrl_tcp_listen 127.0.0.1:${place.controlPort}`,
    '',
  ].join('\n');
}

export function accountsFile(options: BaresipOptions, place: BaresipPlace): string {
  const { registrar } = options;
  const host = registrar === undefined ? `127.0.0.1:${place.sipPort}` : `${registrar.host}:${registrar.port}`;
  const name = options.displayName === undefined ? '' : `"${options.displayName}" `;
  const codecs = (options.codecs ?? ['PCMA', 'PCMU']).map((codec) => `${codec}/8000/1`).join(',');
  const parameters = [
    `<sip:${options.user}@${host};transport=${options.transport ?? 'udp'}>`,
    ...(registrar === undefined ? [] : [`auth_user=${options.user}`, `auth_pass=${registrar.password}`]),
    `regint=${registrar === undefined ? 0 : (options.registerSeconds ?? 60)}`,
    `answermode=${options.answer ?? 'manual'}`,
    `audio_codecs=${codecs}`,
    ...(options.srtp === undefined ? [] : [`mediaenc=${options.srtp === 'required' ? 'srtp-mand' : 'srtp'}`]),
    // Accepts any number at this address, as a trunk's remote side does.
    'catchall=yes',
  ];
  return `${name}${parameters.join(';')}\n`;
}
