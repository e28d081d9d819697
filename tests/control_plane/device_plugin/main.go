// Command device-plugin offers the kubelet of a test's node devices that do not exist, so that pods
// can have GPUs on any machine:
//
//	device-plugin FOLDER RESOURCE=COUNT...
//
// FOLDER is the kubelet's, with its socket. A container that is given a device gets nothing with it:
// no file, no mount, no variable. Ends when the kubelet does.
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	api "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

// devices serves the devices of one resource.
type devices struct {
	api.UnimplementedDevicePluginServer
	list  []*api.Device
	ended chan struct{} // told when the kubelet no longer watches
}

func (d *devices) GetDevicePluginOptions(context.Context, *api.Empty) (*api.DevicePluginOptions, error) {
	return &api.DevicePluginOptions{}, nil
}

func (d *devices) ListAndWatch(_ *api.Empty, stream grpc.ServerStreamingServer[api.ListAndWatchResponse]) error {
	if err := stream.Send(&api.ListAndWatchResponse{Devices: d.list}); err != nil {
		return err
	}
	<-stream.Context().Done()
	d.ended <- struct{}{}
	return nil
}

func (d *devices) Allocate(_ context.Context, request *api.AllocateRequest) (*api.AllocateResponse, error) {
	response := &api.AllocateResponse{}
	for range request.ContainerRequests {
		response.ContainerResponses = append(response.ContainerResponses, &api.ContainerAllocateResponse{})
	}
	return response, nil
}

// offer serves count devices of a resource on a socket in folder, and tells the kubelet.
func offer(folder, resource string, count int, ended chan struct{}) error {
	name := strings.ReplaceAll(resource, "/", "-")
	served := &devices{ended: ended}
	for i := range count {
		served.list = append(served.list, &api.Device{ID: fmt.Sprintf("%s-%d", name, i), Health: api.Healthy})
	}
	endpoint := name + ".sock"
	path := filepath.Join(folder, endpoint)
	if err := os.RemoveAll(path); err != nil { // of an earlier run
		return err
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	api.RegisterDevicePluginServer(server, served)
	go func() { log.Fatal(server.Serve(listener)) }()

	kubelet, err := grpc.NewClient("unix://"+filepath.Join(folder, "kubelet.sock"),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer kubelet.Close()
	_, err = api.NewRegistrationClient(kubelet).Register(context.Background(), &api.RegisterRequest{
		Version: api.Version, Endpoint: endpoint, ResourceName: resource})
	return err
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("device-plugin: ")
	if len(os.Args) < 3 {
		log.Fatal("usage: device-plugin FOLDER RESOURCE=COUNT...")
	}
	ended := make(chan struct{})
	for _, argument := range os.Args[2:] {
		resource, number, _ := strings.Cut(argument, "=")
		count, err := strconv.Atoi(number)
		if err != nil {
			log.Fatalf("%s is no RESOURCE=COUNT", argument)
		}
		if err := offer(os.Args[1], resource, count, ended); err != nil {
			log.Fatalf("%s: %v", resource, err)
		}
	}
	<-ended
}
