/** The commands of the SIP edge's guards. */
const KEPT_OUT = 'the API has no routes for the guards of the SIP edge';

/**
 * The commands that concern one machine only, with the reason: `--url` is refused for them. Every other command works on
 * another installation, too.
 */
export const LOCAL_COMMANDS: Readonly<Record<string, string>> = {
  'flows test': 'it runs the flow here, without an installation',
  'asterisk-config': 'it writes files for an Asterisk from the settings of this machine',
  'freeswitch-config': 'it writes files for a FreeSWITCH from the settings and the secret of this machine',
  'certificates list': 'it shows the files of this machine',
  'certificates retry': 'it concerns the renewal that the settings of this machine ask for',
  'certificates write': 'it writes files for an engine from those of this machine',
  backup: 'it copies the database, the files and the secret of this machine to a file',
  restore: 'it replaces the database and the files of this machine, and the platform must be stopped',
  'sip blocked': KEPT_OUT,
  'sip release': KEPT_OUT,
  'sip allow': KEPT_OUT,
  'sip deny': KEPT_OUT,
  'sip networks': KEPT_OUT,
  'sip remove': KEPT_OUT,
  handover: 'it stops the processes of this machine',
};
