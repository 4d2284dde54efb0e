/**
 * The commands that concern one machine only, with the reason: `--url` is refused for them. Every other command works on
 * another installation, too.
 */
export const LOCAL_COMMANDS: Readonly<Record<string, string>> = {
  'flows test': 'it runs the flow here, without an installation',
  'asterisk-config': 'it writes files for an Asterisk from the settings of this machine',
  'freeswitch-config': 'it writes files for a FreeSWITCH from the settings and the secret of this machine',
  'drachtio-config': 'it writes a file for a drachtio-server from the settings of this machine',
  'certificates list': 'it shows the files of this machine',
  'certificates retry': 'it concerns the renewal that the settings of this machine ask for',
  'certificates write': 'it writes files for an engine from those of this machine',
  'catch-messages': 'it listens on this machine',
  backup: 'it copies the database, the files and the secret of this machine to a file',
  restore: 'it replaces the database and the files of this machine, and the platform must be stopped',
  handover: 'it stops the processes of this machine',
};
