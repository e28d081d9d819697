# Lines `source package, its version, package, version, architecture, homepage` -> an SPDX 2.3
# document of $name, which contains them. Package URLs follow
# https://github.com/package-url/purl-spec for Debian.
def id: "SPDXRef-" + gsub("[^A-Za-z0-9.-]"; "-");

[inputs | split("\t")
 | {source: .[0], source_version: .[1], name: .[2], version: .[3], architecture: .[4], homepage: .[5]}]
| map({
    SPDXID: ("package-" + .name | id), name, versionInfo: .version,
    supplier: "Organization: Debian", downloadLocation: "NOASSERTION", filesAnalyzed: false,
    homepage: (if .homepage == "" then "NOASSERTION" else .homepage end),
    licenseConcluded: "NOASSERTION", licenseDeclared: "NOASSERTION",
    licenseComments: "see usr/share/doc/\(.name)/copyright",
    copyrightText: "NOASSERTION", sourceInfo: "built from \(.source) \(.source_version)",
    externalRefs: [{
      referenceCategory: "PACKAGE-MANAGER", referenceType: "purl",
      referenceLocator:
        "pkg:deb/debian/\(.name)@\(.version | @uri)?arch=\(.architecture)&distro=\($debian)"}]
  }) as $packages
| ("program-" + $name | id) as $program
| {
    spdxVersion: "SPDX-2.3", dataLicense: "CC0-1.0", SPDXID: "SPDXRef-DOCUMENT", name: $name,
    documentNamespace: "https://flux-framework.org/spdx/\($name)-\($version)-\($sum[:16])",
    creationInfo: {created: $created, creators: ["Tool: image-root.sh"]},
    packages: ([{
      SPDXID: $program, name: $name, versionInfo: $version, primaryPackagePurpose: "APPLICATION",
      downloadLocation: "NOASSERTION", filesAnalyzed: false, licenseConcluded: "MIT",
      licenseDeclared: "MIT", copyrightText: "NOASSERTION",
      checksums: [{algorithm: "SHA256", checksumValue: $sum}]}] + $packages),
    relationships:
      ([{spdxElementId: "SPDXRef-DOCUMENT", relationshipType: "DESCRIBES",
         relatedSpdxElement: $program}]
       + [$packages[] | {spdxElementId: $program, relatedSpdxElement: .SPDXID,
           relationshipType: (if .name | endswith("-dev") then "STATIC_LINK" else "DYNAMIC_LINK" end)}])
  }
