import { forwardingCases } from '../../support/calls/forwarding.js';
import { describeForwardingOnFreeswitch } from '../../support/calls/forwarding-stages.js';

describeForwardingOnFreeswitch('each case of call forwarding, on FreeSWITCH: calls', forwardingCases);
