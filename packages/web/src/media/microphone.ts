import { ownError, type HatifError } from '../errors/error.js';

/** What the browser does with the sound of the microphone. */
export interface Processing {
  readonly noiseSuppression: boolean;
  readonly echoCancellation: boolean;
  readonly autoGainControl: boolean;
}

/** Opens microphones. */
export async function openMicrophone(deviceId: string, processing: Processing): Promise<MediaStream> {
  // Pages without HTTPS have no devices at all.
  const devices = (navigator as { mediaDevices?: MediaDevices }).mediaDevices;
  if (!devices) throw ownError(isSecureContext ? 'NOT_SUPPORTED' : 'INSECURE_PAGE');
  const chosen = deviceId === 'default' ? {} : { deviceId: { exact: deviceId } };
  try {
    return await devices.getUserMedia({ audio: { ...chosen, ...processing } });
  } catch (error) {
    throw microphoneError(error);
  }
}

function microphoneError(error: unknown): HatifError {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'NotAllowedError' || name === 'SecurityError') return ownError('MICROPHONE_DENIED', error);
  if (name === 'NotFoundError') return ownError('MICROPHONE_NOT_FOUND', error);
  if (name === 'OverconstrainedError') return ownError('AUDIO_DEVICE_NOT_FOUND', error);
  return ownError('MICROPHONE_BUSY', error);
}

export function closeStream(stream: MediaStream | null): void {
  stream?.getTracks().forEach((track) => track.stop());
}
