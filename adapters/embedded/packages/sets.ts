/** The Debian packages of one part, downloaded and kept together. */
export interface PackageSet {
  readonly name: 'asterisk' | 'redis' | 'turn' | 'speech' | 'dictation' | 'phones' | 'authority';
  /** Shown to the user while downloading. */
  readonly title: string;
  readonly packages: readonly string[];
  /** Dependencies that no program or module in use loads; apt is made to believe that they are installed. */
  readonly unwanted: readonly RegExp[];
}

/** Debian's install-time helpers (users, questions, scripts), which are not needed because nothing is installed. */
const INSTALL_HELPERS = [/^(adduser|debconf|passwd|media-types|netbase|perl|perl-base|python3|tzdata|ucf)$/];

export const PACKAGE_SETS = {
  asterisk: {
    name: 'asterisk',
    title: 'Asterisk',
    packages: ['asterisk', 'asterisk-core-sounds-en', 'asterisk-core-sounds-en-wav', 'asterisk-moh-opsound-g722'],
    unwanted: [
      ...INSTALL_HELPERS,
      // Needed only by modules outside modules.list: databases, directories, calendars, fax, XMPP, JACK, vocoders.
      /^asterisk-config-custom$/,
      /^lib(odbc\d|jack|ldap\d|snmp\d|pq\d|portaudio\d|radcli|sybdb|neon|lua5|ical\d|iksemel|gmime-|curl|jwt|resample)/,
      /^lib(opencore-|vo-amrwbenc|spandsp|codec2|glib2|gnutls|speex\d)/,
      /^openssl-provider-legacy$/,
    ],
  },
  redis: {
    name: 'redis',
    title: 'Redis',
    packages: ['redis-server'],
    unwanted: [...INSTALL_HELPERS, /^openssl-provider-legacy$/],
  },
  turn: {
    name: 'turn',
    title: 'coturn',
    packages: ['coturn'],
    unwanted: [
      ...INSTALL_HELPERS,
      /^openssl-provider-legacy$/,
      /^(mysql-common|mariadb-common|telnet|sqlite3|init-system-helpers)$/,
    ],
  },
  speech: {
    name: 'speech',
    title: 'espeak-ng speech',
    packages: ['espeak-ng', 'espeak-ng-data'],
    unwanted: INSTALL_HELPERS,
  },
  dictation: {
    name: 'dictation',
    title: 'pocketsphinx speech recognition',
    packages: ['pocketsphinx', 'pocketsphinx-en-us'],
    // It only reads files, so it needs neither a microphone nor GStreamer.
    unwanted: [...INSTALL_HELPERS, /^lib(pulse|asound|jack|gst|glib|portaudio)/],
  },
  phones: {
    name: 'phones',
    title: 'SIP test phones',
    packages: ['sip-tester', 'baresip-core'],
    unwanted: [...INSTALL_HELPERS, /^openssl-provider-legacy$/],
  },
  authority: {
    name: 'authority',
    title: 'the ACME authority of tests',
    packages: ['pebble'],
    unwanted: INSTALL_HELPERS,
  },
} as const satisfies Record<string, PackageSet>;

export type PackageSetName = keyof typeof PACKAGE_SETS;
