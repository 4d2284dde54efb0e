import type { CliContext } from '../../cli/common/context.js';
import { commandsFor } from '../../core/model/commands.js';

const unused = (): Promise<never> => Promise.reject(new Error('is not used'));

/** A context of the command for tests, which replace what their commands use: everything else fails. */
export const UNUSED_CONTEXT: Omit<CliContext, 'output' | 'interrupted'> = {
  version: '0.0.0',
  commands: commandsFor(undefined),
  withPlatform: unused,
  withInstallation: unused,
  api: unused,
  writeAsteriskConfig: unused,
  writeFreeswitchConfig: unused,
  writeDrachtioConfig: unused,
  certificates: unused,
  retryCertificates: unused,
  writeCertificates: unused,
  catchMessages: unused,
  backup: unused,
  restore: unused,
  handover: unused,
  simulateFlow: unused,
  progress: () => undefined,
  readSecret: unused,
};
