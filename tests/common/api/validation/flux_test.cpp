#include <gtest/gtest.h>

#include "tests/common/api/error_cases.h"
#include "tests/support/cpu_time.h"

namespace mc::api {
namespace {

const test::Case kFluxCases[] = {
    // brokerConfig: errors never quote the text
    {"keys and types that Flux dies of, each with its line",
     R"({"spec": {"flux": {"brokerConfig":
         "[bootstrap]\nport = 1\ndefault_port = \"8050\"\nenable_ipv6 = 1\n"}}})",
     {"spec.flux.brokerConfig: Invalid value: line 2: not a key of [bootstrap], which has hosts, "
      "curve_cert, default_port, default_bind, default_connect, enable_ipv6",
      "spec.flux.brokerConfig: Invalid value: line 3: default_port must be a number from 0 to "
      "65535, without quotes",
      "spec.flux.brokerConfig: Invalid value: line 4: enable_ipv6 must be true or false"}},
    {"a broker.toml whose hosts are others", R"({"spec": {"flux": {"brokerConfig":
         "[bootstrap]\ncurve_cert = \"/c\"\nhosts = [{host = \"other-[0-3]\"}]\n"}}})",
     "spec.flux.brokerConfig: Invalid value: the key hosts does not list \"sample-0\", the first "
     "host of this MiniCluster: the broker of that host would not find itself and would not start"},
    {"a broker.toml with our hosts among others",
     R"({"spec": {"flux": {"brokerConfig": "[bootstrap]\ncurve_cert = \"/c\"\nhosts = )"
     R"([{host = \"lead\"}, {host = \"sample-[0-3]\"}]\n"}}})"},
    {"a broker.toml without hosts, and one of tables that are not ours to know",
     R"({"spec": {"flux": {"brokerConfig": "[tbon]\ntopo = \"kary:2\"\n[my-plugin]\nx = 1\n"}}})"},
    {"a broker.toml for a name that is not known yet",
     R"({"metadata": {"name": null, "generateName": "sample-"}, "spec": {"flux": {"brokerConfig":
         "[bootstrap]\ncurve_cert = \"/c\"\nhosts = [{host = \"other-[0-3]\"}]\n"}}})"},
    {"a host of a broker.toml that is no hostlist is one error",
     R"({"spec": {"flux": {"brokerConfig": "[bootstrap]\nhosts = [{host = \"a[3-0]\"}]\n"}}})",
     "spec.flux.brokerConfig: Invalid value: line 2: the value of host is not a hostlist: a range "
     "in brackets must be ascending"},

    // certificate
    {"a Secret with the certificate", R"({"spec": {"flux": {"curveCertSecret": "my.curve"}}})"},
    {"a Secret's name that is none", R"({"spec": {"flux": {"curveCertSecret": "My_Curve"}}})",
     "spec.flux.curveCertSecret: Invalid value: \"My_Curve\": " + test::kSubdomainWords},
    {"two certificates",
     R"({"spec": {"flux": {"curveCertSecret": "curve", "curveCert": "x"}}})",
     {"spec.flux.curveCert: Invalid value: line 1: expected `metadata`, `curve` or an indented "
      "entry",
      "spec.flux.curveCertSecret: Forbidden: may not be given together with spec.flux.curveCert: "
      "choose one"}},

    // topology
    {"kary with no number", R"({"spec": {"flux": {"topology": "kary"}}})",
     "spec.flux.topology: Invalid value: \"kary\": must be a topology of Flux: kary:K, mincrit, "
     "mincrit:K, binomial or custom, where K is a number (e.g. 'kary:2')"},
    {"a topology with more than one word", R"({"spec": {"flux": {"topology": "kary:2 -Sx=1"}}})",
     "spec.flux.topology: Invalid value: \"kary:2 -Sx=1\": must be a topology of Flux: kary:K, "
     "mincrit, mincrit:K, binomial or custom, where K is a number (e.g. 'kary:2')"},
    {"a topology that there is", R"({"spec": {"flux": {"topology": "mincrit:3"}}})"},

    // the view
    {"names, folders and images of the view",
     R"({"spec": {"flux": {"mungeSecret": "Munge", "container": {"mountPath": "/opt/software",
         "workingDir": "work", "imagePullSecret": "a_b", "image": "Ghcr/View"}}}})",
     {"spec.flux.container.image: Invalid value: \"Ghcr/View\": must be the name of an image, in "
      "lower case and without spaces, with a tag after ':' or a digest after '@' (e.g. "
      "'ghcr.io/team/app:1.2')",
      "spec.flux.container.imagePullSecret: Invalid value: \"a_b\": " + test::kSubdomainWords,
      "spec.flux.container.mountPath: Invalid value: \"/opt/software\": must be a separate folder, "
      "for example /mnt/flux: the pods use this folder for something else",
      "spec.flux.container.workingDir: Invalid value: \"work\": must be an absolute path, for "
      "example \"/work\"",
      "spec.flux.mungeSecret: Invalid value: \"Munge\": " + test::kSubdomainWords}},
    {"a mount path that is taken, with slashes that mean nothing",
     R"({"spec": {"flux": {"container": {"mountPath": "/opt//software/"}}}})",
     "spec.flux.container.mountPath: Invalid value: \"/opt//software/\": must be a separate "
     "folder, "
     "for example /mnt/flux: the pods use this folder for something else"},
    {"a mount path with a colon",
     R"({"spec": {"flux": {"container": {"mountPath": "/mnt:flux"}}}})",
     "spec.flux.container.mountPath: Invalid value: \"/mnt:flux\": must not contain ':'"},

    // bursting: every side has the same list, which includes this MiniCluster's own hosts
    {"a cluster that bursts",
     R"({"spec": {"flux": {"bursting": {"clusters": [{"size": 4}, {"name": "b"}]}}}})"},
    {"a hostlist without our hosts",
     R"({"spec": {"flux": {"bursting": {"hostlist": "login,other-[0-1]"}}}})",
     "spec.flux.bursting.hostlist: Invalid value: \"login,other-[0-1]\": must include this "
     "MiniCluster's own hosts: add sample-[0-1]"},
    {"a hostlist with some of our hosts",
     R"({"spec": {"size": 4, "flux": {"bursting": {"hostlist": "login,sample-[0-1]"}}}})",
     "spec.flux.bursting.hostlist: Invalid value: \"login,sample-[0-1]\": must include this "
     "MiniCluster's own hosts: add sample-[2-3]"},
    {"a hostlist and the lead broker whose name it does not need",
     R"({"spec": {"flux": {"bursting": {"hostlist": "login,sample-[0-1]",
         "leadBroker": {"address": "login"}}}}})"},
    {"a hostlist for a name that is not known yet",
     R"({"metadata": {"name": null, "generateName": "sample-"},
         "spec": {"flux": {"bursting": {"hostlist": "login"}}}})"},
    {"a lead broker and we are one of its clusters", R"({"spec": {"flux": {"bursting": {
         "leadBroker": {"address": "10.0.0.1", "name": "lead", "size": 4},
         "clusters": [{"name": "other", "size": 1}, {"name": "sample"}]}}}})"},
    {"a lead broker and we are none of its clusters", R"({"spec": {"flux": {"bursting": {
         "leadBroker": {"address": "10.0.0.1", "name": "lead", "size": 4},
         "clusters": [{"name": "other", "size": 1}]}}}})",
     "spec.flux.bursting.clusters: Required value: the list must include this MiniCluster itself: "
     "add an entry with name \"sample\" and size 2"},
    {"a lead broker that knows fewer of our hosts", R"({"spec": {"size": 4, "flux": {"bursting": {
         "leadBroker": {"address": "10.0.0.1", "name": "lead", "size": 4},
         "clusters": [{"name": "sample", "size": 2}]}}}})",
     "spec.flux.bursting.clusters[0].size: Invalid value: 2: must be greater than or equal to "
     "spec.size (4), because this entry is the MiniCluster itself"},
    {"a lead broker and room for as many of our hosts as there may be",
     R"({"spec": {"maxSize": 8, "flux": {"bursting": {
         "leadBroker": {"address": "10.0.0.1", "name": "lead", "size": 4}}}}})",
     "spec.flux.bursting.clusters: Required value: the list must include this MiniCluster itself: "
     "add an entry with name \"sample\" and size 8"},
    {"a lead broker of our own name", R"({"spec": {"flux": {"bursting": {
         "leadBroker": {"address": "10.0.0.1", "name": "sample", "size": 4}}}}})",
     "spec.flux.bursting.leadBroker.name: Invalid value: \"sample\": is the name of this "
     "MiniCluster, whose hosts would have the same names as the lead broker's"},
    {"a lead broker of nothing but a name",
     R"({"spec": {"flux": {"bursting": {"leadBroker": {"name": "Lead", "port": 70000},
         "clusters": [{"name": "sample"}]}}}})",
     {"spec.flux.bursting.leadBroker.address: Required value: the host name or IP address of the "
      "lead broker",
      "spec.flux.bursting.leadBroker.name: Invalid value: \"Lead\": " + test::kLabelWords,
      "spec.flux.bursting.leadBroker.port: Invalid value: 70000: must be between 1 and 65535, "
      "inclusive",
      "spec.flux.bursting.leadBroker.size: Required value: the size of the lead broker's "
      "MiniCluster"}},
    {"a lead broker's address that is none", R"({"spec": {"flux": {"bursting": {
         "leadBroker": {"address": "tcp://lead:8050", "name": "lead", "size": 1},
         "clusters": [{"name": "sample"}]}}}})",
     "spec.flux.bursting.leadBroker.address: Invalid value: \"tcp://lead:8050\": must be one host "
     "name or IPv4 address: this host name contains a character that is not a letter, a digit, a "
     "dot or a dash"},
    {"a lead broker's address that is a hostlist of one host", R"({"spec": {"flux": {"bursting": {
         "leadBroker": {"address": "lead-[0]", "name": "lead", "size": 1},
         "clusters": [{"name": "sample"}]}}}})",
     "spec.flux.bursting.leadBroker.address: Invalid value: \"lead-[0]\": must be one host name or "
     "IPv4 address, not a hostlist"},
    {"a lead broker's address with a comma", R"({"spec": {"flux": {"bursting": {
         "leadBroker": {"address": "10.0.0.1,", "name": "lead", "size": 1},
         "clusters": [{"name": "sample"}]}}}})",
     "spec.flux.bursting.leadBroker.address: Invalid value: \"10.0.0.1,\": must be one host name "
     "or "
     "IPv4 address, not a hostlist"},
    {"clusters of one name, of ours, and of no name at all for a host",
     R"({"spec": {"flux": {"bursting": {"clusters": [{"name": "a"}, {"name": "a"},
         {"name": "sample"}, {"name": "a_b"}, {"name": "b", "size": -1}]}}}})",
     {"spec.flux.bursting.clusters[1].name: Duplicate value: \"a\": is the name of "
      "spec.flux.bursting.clusters[0].name",
      "spec.flux.bursting.clusters[2].name: Duplicate value: \"sample\": is the name of this "
      "MiniCluster, whose hosts are in the list already",
      "spec.flux.bursting.clusters[3].name: Invalid value: \"a_b\": " + test::kLabelWords,
      "spec.flux.bursting.clusters[4].size: Invalid value: -1: must be greater than or equal to 1; "
      "omit size to use spec.maxSize of this MiniCluster"}},
    {"a cluster named like the lead broker's", R"({"spec": {"flux": {"bursting": {
         "leadBroker": {"address": "10.0.0.1", "name": "lead", "size": 4},
         "clusters": [{"name": "sample"}, {"name": "lead"}]}}}})",
     "spec.flux.bursting.clusters[1].name: Duplicate value: \"lead\": is the name of the lead "
     "broker's MiniCluster"},
    {"a cluster whose host names are too long, and one without end",
     R"({"spec": {"flux": {"bursting": {"clusters": [
         {"name": "a123456789a123456789a123456789a123456789a123456789a1234567890", "size": 11},
         {"name": "b", "size": 2000000000}]}}}})",
     {"spec.flux.bursting.clusters[0].name: Invalid value: "
      "\"a123456789a123456789a123456789a123456789a123456789a1234567890\": must be shorter: the "
      "host name of the last pod, "
      "\"a123456789a123456789a123456789a123456789a123456789a1234567890-10\", may not be more than "
      "63 bytes",
      "spec.flux.bursting.clusters[1].size: Invalid value: 2000000000: must be less than or equal "
      "to 100000"}},
    {"a hostlist without end",
     R"({"spec": {"flux": {"bursting": {"hostlist": "a[0-99999],a[0-99999]"}}}})",
     "spec.flux.bursting.hostlist: Invalid value: \"a[0-99999],a[0-99999]\": there are more than "
     "100000 hosts"},
    {"a queue policy that Fluxion does not know",
     R"({"spec": {"flux": {"scheduler": {"queuePolicy": "fifo"}}}})",
     "spec.flux.scheduler.queuePolicy: Unsupported value: \"fifo\": supported values: \"fcfs\", "
     "\"easy\", \"hybrid\", \"conservative\""},
    {"all cores of the node", R"({"spec": {"flux": {"coresFrom": "Node"}}})"},
    {"cores from elsewhere", R"({"spec": {"flux": {"coresFrom": "limits"}}})",
     "spec.flux.coresFrom: Unsupported value: \"limits\": supported values: \"Node\", \"Pod\""},
};

TEST(ValidateFlux, EachRuleSaysWhatIsWrongAndWhatWouldBeRight) { test::expect_errors(kFluxCases); }

json with_command(std::size_t size) {
  json object = test::base_object();
  object["spec"]["containers"][0]["command"] = std::string(size, 'x');
  return object;
}

TEST(ValidateFlux, AHostlistTakesTimeInProportionToItsHosts) {
  json object = test::base_object();
  for (const std::string part :
       {"a[0-99999],", "a[0-99999]b[0-99999],", "a,", "a[0,0,0,0,0,0,0],"}) {
    std::string list;
    while (list.size() + part.size() < 262144) list += part;
    object["spec"]["flux"]["bursting"]["hostlist"] = list;
    EXPECT_LT(test::cpu_seconds([&] { EXPECT_FALSE(test::errors_of(object).empty()); }), 2) << part;
  }
}

// What the base has besides a command: the mount path, which is in four places.
constexpr std::size_t kOfTheBase = 38;

TEST(ValidateTexts, TogetherFillAtMost896KiBOfTheConfigMap) {
  EXPECT_TRUE(test::errors_of(with_command(917504 - kOfTheBase)).empty());
  json object = with_command(500000);
  object["spec"]["containers"][0]["commands"]["pre"] = std::string(417505 - kOfTheBase, ' ');
  EXPECT_EQ(test::errors_of(object),
            (std::vector<std::string>{
                "spec: Too long: may not be more than 917504 bytes: the texts in the pods' "
                "ConfigMap take 917505 bytes in total; the largest is "
                "spec.containers[0].command with 500000 bytes; put large texts in a volume or in "
                "the image"}));
  object["spec"]["containers"][0]["commands"].erase("pre");
  object["spec"]["flux"]["brokerConfig"] = "#" + std::string(417504, ' ');
  EXPECT_EQ(test::errors_of(object).size(), 1U);
}

TEST(ValidateTexts, CountWithTheQuotesThatTheyGet) {
  json object = test::base_object();
  object["spec"]["flux"]["environment"]["A"] = std::string(300'000, '\'');
  EXPECT_EQ(test::errors_of(object).size(), 1U);
  object["spec"]["flux"]["environment"]["A"] = std::string(300'000, 'x');
  EXPECT_TRUE(test::errors_of(object).empty());
}

TEST(ValidateTexts, LinesOfABatchCountWithTheCommandsThatTheyBecome) {
  json object = test::base_object();
  std::string lines;
  for (int i = 0; i < 60000; ++i) lines += "a\n";
  object["spec"]["containers"][0]["command"] = lines;
  EXPECT_TRUE(test::errors_of(object).empty());
  object["spec"]["containers"][0]["batchRaw"] = true;
  object["spec"]["containers"][0]["batch"] = true;
  EXPECT_TRUE(test::errors_of(object).empty());
  object["spec"]["containers"][0]["batchRaw"] = false;
  EXPECT_EQ(test::errors_of(object).size(), 1U);
}

TEST(ValidateTexts, OfServicesAndTheCertificateAreElsewhere) {
  json object = with_command(917504 - kOfTheBase);
  object["spec"]["services"] = {
      {{"name", "db"}, {"image", "x:1"}, {"command", std::string(1000, 'x')}}};
  EXPECT_TRUE(test::errors_of(object).empty());
}

}  // namespace
}  // namespace mc::api
