import { forwarding } from '../../support/calls/forwarding.js';
import { describeForwardingOnFreeswitch } from '../../support/calls/forwarding-stages.js';

describeForwardingOnFreeswitch('calls for a softphone, on FreeSWITCH,', forwarding);
