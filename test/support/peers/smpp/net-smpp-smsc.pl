#!/usr/bin/perl
# An SMSC on the module Net::SMPP, which shares no code with the platform: prints what it gets as lines of JSON, and
# confirms each message by a receipt. The first line has its port.
use strict;
use warnings;
use JSON::PP;
use Net::SMPP;

use constant { BIND => 0x09, SUBMIT => 0x04, UNBIND => 0x06, ENQUIRE => 0x15, DELIVERED => 0x80000005 };

$| = 1;
my ($password) = @ARGV;
my $listener = Net::SMPP->new_listen('127.0.0.1', port => 0, smpp_version => 0x34, async => 1)
  or die "cannot listen: $!";
report(port => 0 + $listener->sockport);
my $session = $listener->accept or die "cannot accept: $!";
$session->set_version(0x34);
my $count = 0;
while (my $pdu = $session->read_pdu) {
  my ($command, @answer) = ($pdu->{cmd}, seq => $pdu->{seq});
  if ($command == BIND) {
    my $is_right = $pdu->{password} eq $password;
    $session->bind_transceiver_resp(@answer, system_id => 'net-smpp', status => $is_right ? 0 : 0x0e);
    report(bound => $is_right ? JSON::PP::true : JSON::PP::false);
  }
  elsif ($command == SUBMIT) {
    my $id = 'net-smpp-' . ++$count;
    $session->submit_sm_resp(@answer, message_id => $id);
    my %own = map { ($_ => 0 + $pdu->{$_}) } qw(data_coding esm_class source_addr_ton dest_addr_ton registered_delivery);
    my ($from, $to) = ($pdu->{source_addr}, $pdu->{destination_addr});
    report(source => $from, destination => $to, body => unpack('H*', $pdu->{short_message}), %own);
    my $text = "id:$id sub:001 dlvrd:001 submit date:2601310900 done date:2601310901 stat:DELIVRD err:000 text:";
    $session->deliver_sm(source_addr => $to, destination_addr => $from, esm_class => 0x04, short_message => $text);
  }
  elsif ($command == DELIVERED) { report(receipt => 0 + $pdu->{status}) }
  elsif ($command == ENQUIRE) { $session->enquire_link_resp(@answer) }
  elsif ($command == UNBIND) {
    $session->unbind_resp(@answer);
    report(unbound => JSON::PP::true);
    last;
  }
}

sub report {
  print encode_json({@_}), "\n";
}
