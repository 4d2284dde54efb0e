/** The Debian packages that make up one part, fetched and kept together. */
export interface PackageSet {
  readonly name: 'asterisk' | 'redis' | 'speech' | 'dictation' | 'phones';
  /** For people: what is being downloaded. */
  readonly title: string;
  readonly packages: readonly string[];
  /** Dependencies that none of the programs and modules we run loads: the resolver is told they are installed. */
  readonly unwanted: readonly RegExp[];
}

/** Install-time helpers of Debian (users, questions, scripts): nothing is installed, so nothing needs them. */
const INSTALL_HELPERS = [/^(adduser|debconf|passwd|media-types|netbase|perl|perl-base|python3|tzdata|ucf)$/];

export const PACKAGE_SETS = {
  asterisk: {
    name: 'asterisk',
    title: 'Asterisk',
    packages: ['asterisk', 'asterisk-core-sounds-en', 'asterisk-core-sounds-en-wav', 'asterisk-moh-opsound-g722'],
    unwanted: [
      ...INSTALL_HELPERS,
      // Needed only by modules that are not on our list: databases, directories, calendars, fax, XMPP, JACK, vocoders.
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
    // It reads files: no microphone, no GStreamer.
    unwanted: [...INSTALL_HELPERS, /^lib(pulse|asound|jack|gst|glib|portaudio)/],
  },
  phones: {
    name: 'phones',
    title: 'SIP test phones',
    packages: ['sip-tester', 'baresip-core'],
    unwanted: [...INSTALL_HELPERS, /^openssl-provider-legacy$/],
  },
} as const satisfies Record<string, PackageSet>;

export type PackageSetName = keyof typeof PACKAGE_SETS;
